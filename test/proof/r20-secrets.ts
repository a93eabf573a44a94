// R20: no secret at rest, in logs, in errors or in process arguments.

import { spawnSync } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { createClient } from './parts/client.ts';
import { databaseFile } from './parts/databases.ts';
import { Evidence } from './parts/evidence.ts';
import { type Installation, installationAt } from './parts/installation.ts';
import { command, startServer } from './parts/processes.ts';
import { MissingTool, type Outcome, type Proof, type ProofBench } from './parts/proof.ts';
import { type Made, makeSecrets, sendRequests, useCommands, type Walk } from './parts/secret-walk.ts';
import { Secrets } from './parts/secrets.ts';

/** Ends every connection of the program, so that its next query fails and is logged. */
const CUT =
  'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname = current_database()';

/** An installation with an owner, and an eye on every process that is started. */
async function begin(bench: ProofBench): Promise<{ walk: Walk; made: Made }> {
  const evidence = new Evidence(bench);
  const secrets = new Secrets();
  const env = { APPCTL_RATE_LIMIT: 'off', APPCTL_LOG_LEVEL: 'trace', APPCTL_METRICS: 'on' };
  const { dataDir, launch } = installationAt(bench, 'searched', env);
  const password = bench.database.url === undefined ? '' : new URL(bench.database.url).password;
  if (password !== '') secrets.add('database password', password);
  const onCommandLine = (line: string) => evidence.note('process-arguments.txt', line);
  const walk = {
    installation: { dataDir, launch: { ...launch, onCommandLine } },
    evidence,
    secrets,
    random: bench.random,
  };
  return { walk, made: await makeSecrets(walk) };
}

/** Both forms of the log, at its most talkative. */
const logs: Record<string, (installation: Installation, evidence: Evidence) => Record<string, string>> = {
  json: (_, evidence) => ({
    APPCTL_LOG_FORMAT: 'json',
    APPCTL_LOG_FILE_PATH: join(evidence.folder, 'log.json'),
  }),
  pretty: () => ({ APPCTL_LOG_FORMAT: 'pretty' }),
};

async function run(bench: ProofBench): Promise<Outcome> {
  const { walk, made } = await begin(bench);
  const { installation, evidence } = walk;
  const { launch, dataDir } = installation;
  for (const [name, form] of Object.entries(logs)) {
    const server = await startServer({ ...launch, env: { ...launch.env, ...form(installation, evidence) } });
    try {
      await sendRequests(server.url, walk, made);
      await useCommands(walk, made);
      if (bench.database.kind === 'postgres') {
        await bench.database.execute(CUT, []);
        await sendRequests(server.url, walk, made);
      }
      evidence.noteProcesses(server.pid);
      await evidence.keepData(bench, dataDir, `while-${name}`);
    } finally {
      await server.stop();
      evidence.note(`server-output-${name}.txt`, server.output());
    }
  }
  await evidence.keepData(bench, dataDir, 'stopped');
  return outcomeOf(walk);
}

async function outcomeOf({ evidence, secrets }: Walk): Promise<Outcome> {
  const hits = await evidence.search(secrets);
  const places = new Set(hits.map(({ place, kind }) => `${kind} in ${place}`));
  const figures = {
    kinds: secrets.kinds,
    spellings: secrets.texts.length,
    searched_kb: Math.round(evidence.bytes / 1000),
    hits: hits.length,
  };
  return { figures, passed: hits.length === 0, notes: [...places] };
}

/** A short run in which one secret is put where none may be; nothing else is wrong with it. */
const fault =
  (plant: (bench: ProofBench, walk: Walk, made: Made) => Promise<void>) =>
  async (bench: ProofBench): Promise<Outcome> => {
    const { walk, made } = await begin(bench);
    await plant(bench, walk, made);
    await walk.evidence.keepData(bench, walk.installation.dataDir, 'stopped');
    return outcomeOf(walk);
  };

async function plantRow({ database }: ProofBench, { installation }: Walk, { license }: Made): Promise<void> {
  const table = 'CREATE TABLE proof_leak (text TEXT)';
  const row = 'INSERT INTO proof_leak VALUES';
  if (database.kind === 'postgres') {
    await database.execute(table, []);
    return database.execute(`${row} ($1)`, [license.key]);
  }
  const file = new Database(databaseFile(installation.dataDir));
  file.exec(table);
  file.prepare(`${row} (?)`).run(license.key);
  file.close();
}

/** A server that repeats in its refusal what it was sent. */
async function plantErrorBody(_: ProofBench, { evidence }: Walk, { license }: Made): Promise<void> {
  const server = createServer((req, res) => {
    res.statusCode = 400;
    req.pipe(res);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const client = createClient(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, 1);
  evidence.noteAnswer(await client.ask({ method: 'POST', path: '/', body: { licenseKey: license.key } }));
  client.close();
  server.close();
}

export const r20: Proof = {
  id: 'R20',
  databases: ['sqlite', 'postgres'],
  requireTools() {
    if (spawnSync('grep', ['--version']).status !== 0) throw new MissingTool('GNU grep is missing');
  },
  faults: {
    'log-line': fault(async (_, { evidence }, { apiKey }) =>
      evidence.note(
        'log.json',
        JSON.stringify({ level: 'debug', msg: 'request', headers: { 'x-api-key': apiKey } }),
      ),
    ),
    'plain-column': fault(plantRow),
    'error-body': fault(plantErrorBody),
    argument: fault(async (_, { installation }, { license }) => {
      await command(installation.launch, ['version', license.key]);
    }),
  },
  run,
};
