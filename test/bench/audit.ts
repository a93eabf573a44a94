// What the audit log costs a change by staff: the same changes through HTTP, with the log and without it, by turns.
import { loadConfig } from '#kernel/config/load.ts';
import { createLog } from '#kernel/log.ts';
import * as policies from '#licensing/catalog/policies/index.ts';
import * as adminTokens from '#platform/admin-tokens/index.ts';
import { auditor } from '#platform/audit/local.ts';
import { openInstance } from '../../src/app/instance.ts';
import { serve } from '../../src/app/serve.ts';
import { type HttpReply, openHttpClient } from '../support/http-client.ts';
import { seedDatabases } from './databases.ts';
import { median } from './medians.ts';
import type { BenchOptions, DatabaseKind } from './options.ts';
import type { Verdict } from './ratios.ts';

/** Medians of one kind of change, in milliseconds. */
export interface AuditFigures {
  change: string;
  withMs: number;
  withoutMs: number;
}

/** Promised: a change takes at most so many times as long. */
const MOST = 1.15;
/** Short, so that both hit the same noise. */
const REQUESTS_OF_A_TURN = 10;
const TURNS_A_SECOND = 5;
const WARM_UP_TURNS = 10;

type Send = (path: string, sent: { method: string; body: unknown }) => Promise<HttpReply>;
type Change = (n: number) => Promise<HttpReply>;

/** @param options `seconds` and `rounds` say how many turns there are */
export async function measureAudit(
  kind: DatabaseKind,
  options: BenchOptions,
  say: (line: string) => void,
): Promise<AuditFigures[]> {
  const seeded = await seedDatabases(kind, { ...options, licenses: 1000, fewLicenses: 10 });
  const { dataDir, databaseUrl } = seeded.installations.large;
  const env = {
    HOME: dataDir,
    APPCTL_DATA_DIR: dataDir,
    APPCTL_DATABASE_URL: databaseUrl,
    APPCTL_LISTEN: '127.0.0.1:0',
    APPCTL_JOBS: 'off',
    APPCTL_RATE_LIMIT: 'off',
  };
  const loaded = await loadConfig({ env, cwd: dataDir });
  const { config } = loaded;
  const log = createLog({ level: 'error', destination: 2 });
  const instance = await openInstance({ config, log, mode: 'prepare' });
  const running = await serve(instance, loaded);
  const client = openHttpClient(running.localUrl);
  const { ctx, database } = instance;
  try {
    const { secret } = await adminTokens.create(ctx, { name: 'bench', role: 'owner' });
    const send: Send = (path, sent) =>
      client.send(`/api/v1/admin${path}`, { ...sent, headers: { Authorization: `Bearer ${secret}` } });
    const policy = await policies.create(ctx, { name: 'measured' });
    const license: { id: string } = await database.db
      .knex('licenses')
      .where({ status: 'ACTIVE' })
      .first('id');
    const changes: Record<string, Change> = {
      'change of a policy': (n) =>
        send(`/policies/${policy.id}`, { method: 'PATCH', body: { name: `measured ${n}` } }),
      'suspending a license, resuming it': (n) =>
        send(`/licenses/${license.id}/${n % 2 === 0 ? 'suspend' : 'resume'}`, { method: 'POST', body: {} }),
    };
    const turns = options.seconds * options.rounds * TURNS_A_SECOND;
    const figures: AuditFigures[] = [];
    for (const [change, work] of Object.entries(changes)) {
      figures.push({ change, ...(await byTurns(work, turns)) });
      say(`${change}: ${JSON.stringify(figures.at(-1))}`);
    }
    return figures;
  } finally {
    client.close();
    await running.stop();
    await seeded.remove();
  }
}

async function byTurns(work: Change, turns: number): Promise<Omit<AuditFigures, 'change'>> {
  const { write } = auditor;
  const took: [without: number[], audited: number[]] = [[], []];
  try {
    let n = 0;
    for (let turn = 0; turn < 2 * (turns + WARM_UP_TURNS); turn++) {
      const isAudited = turn % 2 === 1;
      auditor.write = isAudited ? write : async () => undefined;
      for (let i = 0; i < REQUESTS_OF_A_TURN; i++) {
        const startedMs = performance.now();
        const { status, text } = await work(n++);
        if (turn >= 2 * WARM_UP_TURNS) took[isAudited ? 1 : 0].push(performance.now() - startedMs);
        if (status !== 200) throw new Error(`a change was refused: ${text}`);
      }
    }
  } finally {
    auditor.write = write;
  }
  return { withoutMs: median(took[0]), withMs: median(took[1]) };
}

/** What was promised of it. */
export const judgeAudit = (kind: DatabaseKind, figures: readonly AuditFigures[]): Verdict[] =>
  figures.map(({ change, withMs, withoutMs }) => ({
    what: `${kind}: ${change}, audited (${withMs.toFixed(2)} ms against ${withoutMs.toFixed(2)} ms)`,
    asked: `≤ ${MOST} times`,
    measured: `${(withMs / withoutMs).toFixed(2)} times`,
    ok: withMs / withoutMs <= MOST,
  }));
