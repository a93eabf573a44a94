import { type NextFunction, type Request, type RequestHandler, type Response, Router } from 'express';
import type { Endpoint } from './endpoint.ts';

/** So many parts of an address choose a branch; a router tries the routes of one after the other. */
const MOST_PARTS = 4;

interface Route {
  readonly method: Endpoint['method'];
  readonly path: string;
  readonly handle: RequestHandler;
}

/** A branch; its router is made when the first request comes to it: a start would wait 15 ms for all of them. */
interface Branch {
  readonly routes: Route[];
  router: Router | null;
}

/**
 * Routes by how their addresses begin, as far as they are fixed: a request tries those of its own branch, not all of the
 * program (decision 0010). The branch with more fixed parts comes first.
 */
export class Branches {
  readonly #branches = new Map<string, Branch>();

  /**
   * @param path in the way of express, with `:name` for what varies
   * @throws Error for one that begins with what varies: no request would find it
   */
  add(method: Endpoint['method'], path: string, handle: RequestHandler): void {
    const name = beginning(path);
    if (name === '') throw new Error(`${path} begins with nothing fixed`);
    const branch = this.#branches.get(name) ?? { routes: [], router: null };
    branch.routes.push({ method, path, handle });
    branch.router = null;
    this.#branches.set(name, branch);
  }

  /** Answers a request that one of the routes has, and leaves others to what is mounted after it. */
  readonly handle = (req: Request, res: Response, next: NextFunction): void => {
    // A router would answer OPTIONS itself, before the surface says what other sites may ask.
    if (req.method === 'OPTIONS') next();
    else this.#tryBranch(branchOf(req.path, MOST_PARTS), req, res, next);
  };

  #tryBranch(branch: string, req: Request, res: Response, next: NextFunction): void {
    const router = routerOf(this.#branches.get(branch));
    const wider = branch.slice(0, branch.lastIndexOf('/'));
    if (branch === '') next();
    else if (!router) this.#tryBranch(wider, req, res, next);
    else
      router(req, res, (error?: unknown) => (error ? next(error) : this.#tryBranch(wider, req, res, next)));
  }
}

function routerOf(branch: Branch | undefined): Router | null {
  if (!branch) return null;
  if (!branch.router) {
    branch.router = Router({ caseSensitive: true, strict: true });
    for (const { method, path, handle } of branch.routes) branch.router[method](path, handle);
  }
  return branch.router;
}

/** The fixed beginning of a route. */
function beginning(route: string): string {
  const parts = route.split('/');
  const varies = parts.findIndex((part) => part.includes(':'));
  return branchOf(route, Math.min(MOST_PARTS, varies === -1 ? MOST_PARTS : varies - 1));
}

/** The first parts of an address. */
function branchOf(path: string, most: number): string {
  let end = 0;
  for (let n = 0; n < most; n++) {
    const next = path.indexOf('/', end + 1);
    if (next === -1) return path;
    end = next;
  }
  return path.slice(0, end);
}
