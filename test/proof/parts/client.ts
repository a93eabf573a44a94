// An HTTP client that may come from any loopback address, keeps its connection, and keeps what it was told.
import { Agent, type IncomingHttpHeaders, request } from 'node:http';

/** One request. */
export interface Ask {
  method?: 'GET' | 'POST' | 'PUT';
  path: string;
  /** A list is sent as several headers of one name. */
  headers?: Record<string, string | string[]>;
  /** Sent as JSON; a string is sent as it is. */
  body?: unknown;
  /** 127.0.0.1 to 127.0.0.250 are different clients. */
  from?: string;
}

/** What came back. */
export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  body: string;
}

/** Requests to one server. */
export interface Client {
  ask(ask: Ask): Promise<Answer>;
  close(): void;
}

const TIMEOUT_MS = 30_000;

/**
 * @param connections at most this many at once from each address
 */
export function createClient(url: string, connections: number): Client {
  const agents = new Map<string, Agent>();
  const agentOf = (from: string): Agent => {
    let agent = agents.get(from);
    if (!agent) agents.set(from, (agent = new Agent({ keepAlive: true, maxSockets: connections })));
    return agent;
  };
  return {
    ask: (ask) => send(url, ask, agentOf(ask.from ?? '127.0.0.1')),
    close: () => {
      for (const agent of agents.values()) agent.destroy();
    },
  };
}

function send(
  url: string,
  { method = 'GET', path, headers = {}, body, from }: Ask,
  agent: Agent,
): Promise<Answer> {
  const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
  const all = { ...(text !== undefined && { 'Content-Type': 'application/json' }), ...headers };
  return new Promise((resolve, reject) => {
    const options = { method, headers: all, agent, timeout: TIMEOUT_MS, ...(from && { localAddress: from }) };
    const req = request(new URL(path, url), options, (res) => {
      let answered = '';
      res.setEncoding('utf8');
      res.on('data', (chunk: string) => {
        answered += chunk;
      });
      res.on('end', () => resolve({ status: res.statusCode ?? 0, headers: res.headers, body: answered }));
      res.on('error', reject);
    });
    req.on('timeout', () => req.destroy(new Error(`${method} ${path} was not answered in time`)));
    req.on('error', reject);
    req.end(text);
  });
}

/**
 * Runs jobs side by side.
 *
 * @param workers how many at once
 * @returns results in the order of the jobs
 */
export async function parallel<T>(jobs: readonly (() => Promise<T>)[], workers: number): Promise<T[]> {
  const results: T[] = new Array(jobs.length);
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < jobs.length) {
      const mine = next++;
      results[mine] = await (jobs[mine] as () => Promise<T>)();
    }
  };
  await Promise.all(Array.from({ length: Math.min(workers, jobs.length) }, work));
  return results;
}
