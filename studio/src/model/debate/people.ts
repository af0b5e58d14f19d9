// Participants by their place in speaking order, which gives them colour and shape.

import type { Sheet } from "./debate";

export class People {
  private readonly places: Map<string, number>;
  constructor(readonly all: Sheet["participants"]) {
    this.places = new Map(all.map((it, place) => [it.personaId, place]));
  }
  /** Place in speaking order; -1 for nobody, such as the moderator. */
  place(personaId: string | null): number {
    return personaId === null ? -1 : (this.places.get(personaId) ?? -1);
  }
  name(personaId: string | null): string {
    if (personaId === null) return "Moderator";
    return this.all[this.place(personaId)]?.name ?? personaId;
  }
  names(personaIds: readonly string[]): string {
    const names = personaIds.map((id) => this.name(id));
    return names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names[names.length - 1]}`;
  }
}
