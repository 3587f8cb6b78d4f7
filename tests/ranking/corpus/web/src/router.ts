type Load = () => Promise<{ mount(root: HTMLElement, context: unknown, params: Record<string, string>): void }>;

/** Shows the page that fits the address. Pages are loaded when they are first needed. */
export class Router {
  private routes: { parts: string[]; load: Load }[] = [];
  private otherwise?: Load;

  constructor(private root: HTMLElement, private context: unknown) {
    window.addEventListener("popstate", () => this.go(location.pathname, false));
  }

  add(pattern: string, load: Load) {
    this.routes.push({ parts: pattern.split("/"), load });
  }

  fallback(load: Load) {
    this.otherwise = load;
  }

  async go(path: string, remember = true) {
    if (remember) history.pushState(null, "", path);
    for (const route of this.routes) {
      const params = match(route.parts, path.split("/"));
      if (params) return (await route.load()).mount(this.root, this.context, params);
    }
    (await this.otherwise?.())?.mount(this.root, this.context, {});
  }
}

/** The values of `:name` parts, or null where the path does not fit. */
function match(parts: string[], path: string[]): Record<string, string> | null {
  if (parts.length !== path.length) return null;
  const params: Record<string, string> = {};
  for (const [at, part] of parts.entries()) {
    if (part.startsWith(":")) params[part.slice(1)] = decodeURIComponent(path[at]);
    else if (part !== path[at]) return null;
  }
  return params;
}
