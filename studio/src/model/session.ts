/** Connection and token, as the whole page sees them. */
import { onToken, socket, token, type ConnectionState, type WireError } from "../wire";
import { Store } from "./store";

export const connection = new Store<ConnectionState>(socket.state);
socket.onState((state) => {
  connection.set(state);
  if (state === "denied")
    tokenWanted.set({
      message: token()
        ? "The service does not accept this token: it is unknown, expired or revoked."
        : "The service needs an access token.",
    });
});

/** Why a token is asked for; null while none is. */
export const tokenWanted = new Store<{ message: string } | null>(null);

export function needToken(error: WireError): void {
  if (!tokenWanted.get())
    tokenWanted.set({
      message: token()
        ? `The service does not accept this token: ${error.message}.`
        : "The service needs an access token.",
    });
}

onToken((token) => token && tokenWanted.set(null));
