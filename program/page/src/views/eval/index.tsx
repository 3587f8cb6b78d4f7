import type { Route } from "../../route";
export function EvalView({ route }: { route: Route }) {
    return <p>{route.v}</p>;
}
