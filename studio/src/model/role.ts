/** Permissions of this reader, so that nothing is offered that the service would refuse. */
import { gql, onToken, socket, token } from "../wire";
import type { Role, ViewerQuery, ViewerQueryVariables } from "../wire/operations";
import { ask } from "./data";
import { Store, useStore } from "./store";

const VIEWER = gql<ViewerQuery, ViewerQueryVariables>(/* GraphQL */ `
  query Viewer {
    viewer {
      role
    }
  }
`);
const RANK: Record<Role, number> = { READER: 0, WRITER: 1, ADMIN: 2 };

/** Role of the token. Until the service has told it, a token is taken for that of a reader. */
const role = new Store<Role>(token() ? "READER" : "ADMIN");

let isKnown = false;

async function read(): Promise<void> {
  isKnown = false;
  try {
    role.set((await ask(VIEWER, {})).viewer.role);
    isKnown = true;
  } catch {
    // What was to be shown tells the same error; a change is refused by the service in any case.
  }
}
void read();
onToken((value) => value && void read());
socket.onState((state) => state === "live" && !isKnown && void read());

/** True if the reader may do what requires this role. */
export const useMay = (required: Role): boolean => RANK[useStore(role)] >= RANK[required];
