// A server of a few pages on the database and the storage of a test: what the kernel's way of showing them is judged by.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Actor, GUEST } from '#kernel/actor.ts';
import { loadConfig } from '#kernel/config/load.ts';
import type { Ctx } from '#kernel/context.ts';
import { AppError } from '#kernel/errors.ts';
import { createApplication } from '#kernel/http/application.ts';
import { NO_DEVICE } from '#kernel/http/device.ts';
import { Leaving } from '#kernel/http/leaving.ts';
import type { Page } from '#kernel/http/page.ts';
import { createRateLimiters, memoryLimiter } from '#kernel/http/rate-limiters.ts';
import type { HttpRuntime } from '#kernel/http/runtime.ts';
import { listen } from '#kernel/http/server.ts';
import type { Visitor } from '#kernel/http/visitor.ts';
import type { Visitors } from '#kernel/http/visitors.ts';
import { createRenderer } from '#kernel/views/render.ts';
import { createStaticFiles } from '#kernel/views/static-files.ts';
import { testClock } from './context.ts';
import { openSurface } from './endpoint-server.ts';
import { type HttpClient, openHttpClient } from './http-client.ts';
import { scratchFolder } from './scratch-folder.ts';

export type PageServer = HttpClient & {
  url: string;
  /** Every answer that the server was told of: method, declared path, status, code. */
  observed: [method: string | undefined, route: string, status: number, code: string | null][];
  /** How often sessions were written. */
  settled: number;
};

export type PageServerOptions = {
  ctx: Ctx;
  pages: readonly Page[];
  /** Sources by name, `sample/form`; they stand beside the shipped templates. */
  templates?: Record<string, string>;
};

/** Token of every visitor; a header `X-Test-Actor` says who that is, as JSON. */
export const TOKEN = 'the-token';

/** Serves pages on a free port. Close it in `afterAll`. */
export async function servePages({ ctx, pages, templates = {} }: PageServerOptions): Promise<PageServer> {
  const { config } = await loadConfig({ cwd: import.meta.dirname, env: { HOME: import.meta.dirname } });
  const folder = scratchFolder('appctl-pages-');
  for (const [name, source] of Object.entries(templates)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, `${name}.ejs`), source);
  }
  const observed: PageServer['observed'] = [];
  const state = { settled: 0 };
  const files = createStaticFiles(folder);
  const http: HttpRuntime = {
    root: ctx,
    limiters: createRateLimiters(memoryLimiter, testClock()),
    failures: { blockedSeconds: () => 0, count: async () => 0 } as unknown as HttpRuntime['failures'],
    clientAddress: () => '127.0.0.1',
    state: {
      isHttps: false,
      isDraining: false,
      leaving: new Leaving(),
      isResting: false,
      stopping: new AbortController(),
    },
    observe: ({ req, route }, status, code) => void observed.push([req.method, route, status, code]),
  };
  const answer = createApplication({
    config,
    http,
    surfaces: [openSurface([])],
    site: {
      pages,
      render: createRenderer(folder, files, { serviceName: 'Sample', baseUrl: 'http://sample.test' }),
      files,
      visitors: visitorsOf(state),
      limit: (_ctx, rule) => rule,
      around: {},
      tenantOf: async (_ctx, { tenantId }) => tenantId,
      answerer: { name: 'pages', service: 'license' },
    },
    metrics: null,
    version: '0.0.0',
    ping: async () => undefined,
  });
  const server = await listen(answer, http.state, { kind: 'tcp', host: '127.0.0.1', port: 0 });
  const client = openHttpClient(server.url);
  const close = (): void => {
    client.close();
    server.destroy();
    void server.stop();
  };
  return {
    ...client,
    url: server.url,
    observed,
    get settled() {
      return state.settled;
    },
    close,
  };
}

/** Visitors as their headers name them: what tells them apart in the product has tests of its own. */
const visitorsOf = (state: { settled: number }): Visitors => ({
  async visit({ req, ctx }): Promise<Visitor> {
    const named = req.headers['x-test-actor'] as string | undefined;
    const actor = named === undefined ? GUEST : (JSON.parse(named) as Actor);
    return {
      actor,
      customer: actor.kind === 'customer' ? actor : null,
      tenantId: ctx.tenantId,
      languages: [],
      session: {
        key: null,
        limitKey: (req.headers['x-test-session'] as string | undefined) ?? null,
        id: null,
        pending: null,
        pendingCustomer: null,
        read: () => undefined,
        write: () => undefined,
        keepUntil: () => undefined,
        endForms: () => undefined,
        signIn: async () => undefined,
        signOut: async () => undefined,
      },
      device: NO_DEVICE,
      owes: null,
      isFromElsewhere: false,
      accepts: (token) => token === TOKEN,
      csrfToken: () => TOKEN,
      requireCsrf(presented) {
        if (presented !== TOKEN)
          throw new AppError('AUTH_FORBIDDEN', 403, 'The form is not from this page', {
            details: { reason: 'CSRF' },
          });
      },
      settle: async () => void (state.settled += 1),
    };
  },
  signInAddress: (_audience, returnTo) => `/sign-in?next=${encodeURIComponent(returnTo ?? '')}`,
  owedAddress: () => '/owed',
});
