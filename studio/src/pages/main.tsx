import { h, render } from "preact";
import { startRouter, useAddress } from "../model/router";
import { Shell } from "../parts/shell";
import { Empty } from "../parts/states";
import { fetchAll, routeOf } from "./routes";

function App() {
  const { path } = useAddress();
  const found = routeOf(path);
  return (
    <Shell full={found?.route.full ?? false}>
      {found ? (
        h(found.route.page, { key: path, parameters: found.parameters })
      ) : (
        <Empty title="There is no such page">
          <p>
            The address <code>{path}</code> leads nowhere. <a href="/">All debates</a>
          </p>
        </Empty>
      )}
    </Shell>
  );
}

startRouter((path) => routeOf(path) !== null);
render(<App />, document.getElementById("app")!);
// After the data of the first view. An update of the service meanwhile cannot mix files of two builds then.
addEventListener("load", () => setTimeout(fetchAll, 1_500));
