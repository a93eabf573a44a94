// Clients that keep their connections and never pause: what each request met.
import { Agent, type IncomingMessage, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/** What the clients met. */
export interface Met {
  requests: number;
  refused: number;
  reset: number;
  wrong: number;
  slowestMs: number;
  notes: string[];
}

/** Clients at work. */
export interface Clients {
  met: Met;
  /** Resolves when so many more requests were answered. */
  more(count: number): Promise<void>;
  end(): Promise<Met>;
}

const TIMEOUT_MS = 30_000;

/** @param paths asked one after the other by each client */
export function startClients(url: string, count: number, paths: readonly string[], headers = {}): Clients {
  const met: Met = { requests: 0, refused: 0, reset: 0, wrong: 0, slowestMs: 0, notes: [] };
  let isOver = false;
  const work = async (number: number): Promise<void> => {
    // No second try: what a careful client would hide is counted.
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    for (let i = number; !isOver; i++) {
      const from = performance.now();
      try {
        const status = await ask(new URL(paths[i % paths.length] as string, url), agent, headers);
        if (status < 200 || status > 299) note(met, 'wrong', `answered ${status}`);
      } catch (error) {
        const code = (error as NodeJS.ErrnoException).code ?? '';
        note(met, code === 'ECONNREFUSED' ? 'refused' : 'reset', `${code} ${(error as Error).message}`);
        await sleep(5);
      }
      met.requests += 1;
      met.slowestMs = Math.max(met.slowestMs, Math.round(performance.now() - from));
    }
    agent.destroy();
  };
  const all = Promise.all(Array.from({ length: count }, (_, number) => work(number)));
  return {
    met,
    async more(many) {
      const until = met.requests + many;
      while (met.requests < until) await sleep(10);
    },
    async end() {
      isOver = true;
      await all;
      return met;
    },
  };
}

function note(met: Met, kind: 'refused' | 'reset' | 'wrong', text: string): void {
  met[kind] += 1;
  if (met.notes.length < 10) met.notes.push(`${kind}: ${text}`);
}

function ask(url: URL, agent: Agent, headers: Record<string, string>): Promise<number> {
  return new Promise((resolve, reject) => {
    const req = request(url, { agent, headers, timeout: TIMEOUT_MS }, (res: IncomingMessage) => {
      res.on('error', reject).on('end', () => resolve(res.statusCode ?? 0));
      res.resume();
    });
    req.on('timeout', () => req.destroy(new Error('not answered in time')));
    req.on('error', reject).end();
  });
}
