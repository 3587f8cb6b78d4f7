import type { Route } from "../../route";
export function GraphView({ route }: { route: Route }) {
    return <p>{route.v}</p>;
}
