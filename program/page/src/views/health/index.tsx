import type { Route } from "../../route";
export function HealthView({ route }: { route: Route }) {
    return <p>{route.v}</p>;
}
