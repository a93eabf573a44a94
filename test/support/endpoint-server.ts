// A server of a few endpoints, without a database: what the kernel's way of answering is judged by.

import { createContext } from '#kernel/bound-context.ts';
import { loadConfig } from '#kernel/config/load.ts';
import type { Runtime } from '#kernel/context.ts';
import { createApplication } from '#kernel/http/application.ts';
import type { Endpoint } from '#kernel/http/endpoint.ts';
import { Leaving } from '#kernel/http/leaving.ts';
import { nobody } from '#kernel/http/nobody.ts';
import type { HttpRuntime } from '#kernel/http/runtime.ts';
import { listen } from '#kernel/http/server.ts';
import type { Answered, Surface } from '#kernel/http/surface.ts';
import { logTo } from '#kernel/log.ts';
import { createStaticFiles } from '#kernel/views/static-files.ts';
import { answers } from '../../src/kernel/service/answers.ts';
import { licensingContract } from '../../src/licensing/contract/document.ts';
import { testClock } from './context.ts';
import { type HttpClient, openHttpClient } from './http-client.ts';

/** Every answer that the server was told of: method, declared path, status, code. */
export type Observed = [method: string | undefined, route: string, status: number, code: string | null];

export type EndpointServer = HttpClient & {
  url: string;
  observed: Observed[];
  /** What the surface was told, in the same order. */
  answered: Answered[];
  /** Lines of the log of level warn and above, as objects. */
  logged: { msg: string }[];
  state: HttpRuntime['state'];
};

/** A surface of the license service's form that anybody may call, without limits. */
export const openSurface = (endpoints: readonly Endpoint[], more: Partial<Surface> = {}): Surface => ({
  name: 'sample',
  service: 'sample',
  title: 'Sample',
  contract: licensingContract,
  prefixes: ['/api'],
  bodyBytes: 1024,
  endpoints,
  authenticate: () => Promise.reject(answers.notFound()),
  limit: () => null,
  failureLimit: () => null,
  ...answers,
  ...more,
});

/**
 * Serves endpoints on a free port; they are given a ctx whose database nobody may touch, unless `more` has one. Close it
 * in `afterAll`.
 *
 * @param surfaces in place of one open surface of these endpoints
 */
export async function serveEndpoints(
  endpoints: readonly Endpoint[],
  more: Partial<Runtime> = {},
  surfaces?: readonly Surface[],
): Promise<EndpointServer> {
  const { config } = await loadConfig({ cwd: import.meta.dirname, env: { HOME: import.meta.dirname } });
  const observed: Observed[] = [];
  const answered: Answered[] = [];
  const logged: { msg: string }[] = [];
  const log = logTo({ write: (line: string) => void logged.push(JSON.parse(line)) }, 'warn');
  const runtime = { log, clock: testClock(), database: { db: null }, ...more } as unknown as Runtime;
  const observe: HttpRuntime['observe'] = ({ req, route }, status, code) => {
    observed.push([req.method, route, status, code]);
  };
  // Without limits, nothing asks for what would keep their counts.
  const http = {
    root: createContext(runtime, 'ten_sample'),
    clientAddress: () => '127.0.0.1',
    state: {
      isHttps: false,
      isDraining: false,
      leaving: new Leaving(),
      isResting: false,
      stopping: new AbortController(),
    },
    observe,
  } as unknown as HttpRuntime;
  const answer = createApplication({
    config,
    http,
    surfaces: surfaces ?? [openSurface(endpoints, { answered: (one) => void answered.push(one) })],
    site: {
      pages: [],
      files: createStaticFiles(undefined),
      render: () => '',
      visitors: nobody,
      limit: () => null,
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
  return { ...client, url: server.url, observed, answered, logged, state: http.state, close };
}
