// R21: whatever somebody with SQL but without the master key changes, removes, inserts or moves in the audit log is found,
// and with an anchor that was exported before also that its end was cut off. The server of the executable is asked about each
// of a thousand falsified logs, and `appctl audit verify` about every twenty-fifth of them and about every cut.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cutTail, type Mutation, mutationOf, OwnedLog } from './parts/audit-mutations.ts';
import { type Client, createClient } from './parts/client.ts';
import { createProduct, type Installation, installationAt, mintLicense } from './parts/installation.ts';
import { command, jsonCommand, startServer } from './parts/processes.ts';
import { Complaints, type Outcome, type Proof, type ProofBench } from './parts/proof.ts';
import { openReader, type Reader } from './parts/reader.ts';

const MUTATIONS = 1000;
const CUTS = 10;
const FAULT_MUTATIONS = 40;
const FAULT_CUTS = 2;
/** So many products are made, each with a row of the log. */
const PRODUCTS = 60;
const LICENSES = 3;
/** A command takes as long to start as the server to look at a hundred logs. */
const COMMAND_EVERY = 25;

/** An end of the log that somebody kept. */
interface Anchor {
  readonly seq: number;
  readonly hash: string;
}
interface Verdict {
  readonly ok: boolean;
  readonly head: Anchor;
}

/** Who says whether the log is what was written. */
interface Verifier {
  /** By the server, or by whom a planted fault puts in its place. */
  isWhole(anchor?: Anchor): Promise<boolean>;
  /** By the command, which ends with 6 when it is not; null: the fault has no command. */
  readonly byCommand: ((anchorFile?: string) => Promise<boolean>) | null;
}

/** Puts somebody else in the place of the program. */
type Replace = (sound: Verifier, reader: Reader) => Verifier;

interface Scene {
  readonly installation: Installation;
  readonly log: OwnedLog;
  readonly verifier: Verifier;
}

async function prove(
  bench: ProofBench,
  mutations: number,
  cuts: number,
  replace: Replace = (sound) => sound,
): Promise<Outcome> {
  const settings = { APPCTL_RATE_LIMIT: 'off', APPCTL_LOG_LEVEL: 'error' };
  const installation = installationAt(bench, 'audited', settings);
  const server = await startServer(installation.launch);
  const client = createClient(server.url, 4);
  try {
    const token = await fillLog(installation, client);
    const reader = await openReader(installation);
    try {
      const log = new OwnedLog(reader);
      const verifier = replace(programOf(installation, client, token), reader);
      return await judge(bench, { installation, log, verifier }, mutations, cuts);
    } finally {
      await reader.close();
    }
  } finally {
    client.close();
    await server.stop();
  }
}

/** Products by the API, licenses with customers by commands: their rows have sealed parts. @returns a token of staff */
async function fillLog(installation: Installation, client: Client): Promise<string> {
  const words = ['admin', 'token', 'create', '--name', 'proof', '--role', 'owner', '--instance'];
  const { secret } = await jsonCommand<{ secret: string }>(installation.launch, words);
  for (let n = 0; n < PRODUCTS; n++) {
    const body = { name: `Editor ${n}`, slug: `editor-${n}` };
    const path = '/api/v1/admin/products';
    const answer = await client.ask({ method: 'POST', path, headers: bearer(secret), body });
    if (answer.status !== 201) throw new Error(`${path} was answered ${answer.status}: ${answer.body}`);
  }
  await createProduct(installation, 'editor');
  for (let n = 0; n < LICENSES; n++) await mintLicense(installation, 'editor', 2);
  return secret;
}

const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });

function programOf({ launch }: Installation, client: Client, token: string): Verifier {
  return {
    async isWhole(anchor) {
      const path = '/api/v1/admin/audit-log/verify';
      const body = { ...(anchor && { anchor }) };
      const answer = await client.ask({ method: 'POST', path, headers: bearer(token), body });
      if (answer.status !== 200) throw new Error(`${path} was answered ${answer.status}: ${answer.body}`);
      return (JSON.parse(answer.body) as Verdict).ok;
    },
    async byCommand(anchorFile) {
      const anchor = anchorFile === undefined ? [] : ['--anchor', anchorFile];
      const { code, stderr } = await command(launch, ['audit', 'verify', ...anchor]);
      if (code !== 0 && code !== 6) throw new Error(`audit verify ended with ${code}: ${stderr}`);
      return code === 0;
    },
  };
}

async function judge(bench: ProofBench, scene: Scene, mutations: number, cuts: number): Promise<Outcome> {
  const { random, database } = bench;
  const { log, verifier } = scene;
  const missed = new Complaints();
  const wrong = new Complaints();
  const anchorFile = join(bench.folder, 'anchor.json');
  const anchor = await exportAnchor(scene, anchorFile);
  await log.take(database.kind === 'postgres');
  const requireWhole = async (when: string): Promise<void> => {
    const says = [await verifier.isWhole(anchor), (await verifier.byCommand?.(anchorFile)) ?? true];
    wrong.unless(!says.includes(false), () => `the log is said to be broken ${when}`);
  };
  await requireWhole('before anybody touched it');
  let byCommand = 0;
  for (let number = 0; number < mutations; number++) {
    const mutation = mutationOf(number, log.rows, random);
    const isAsked = verifier.byCommand !== null && number % COMMAND_EVERY === 0;
    byCommand += Number(isAsked);
    await falsified(log, mutation, async () => {
      missed.unless(!(await verifier.isWhole()), () => mutation.what);
      if (isAsked) missed.unless(!(await verifier.byCommand?.()), () => `${mutation.what} (by the command)`);
    });
  }
  const overlooked = new Complaints();
  for (let cut = 0; cut < cuts; cut++) {
    const mutation = cutTail(log.rows, cut === 0 ? log.rows.length : 1 + random.below(log.rows.length - 1));
    await falsified(log, mutation, async () => {
      const says = [await verifier.isWhole(anchor), (await verifier.byCommand?.(anchorFile)) ?? false];
      overlooked.unless(!says.includes(true), () => mutation.what);
    });
  }
  await requireWhole('after everything was put back');
  const figures = {
    rows: log.rows.length,
    mutations,
    found: mutations - missed.count,
    by_command: byCommand,
    cut_tails: cuts,
    cuts_found: cuts - overlooked.count,
    false_alarms: wrong.count,
  };
  const notes = [...missed.notes, ...overlooked.notes, ...wrong.notes];
  return { figures, passed: notes.length === 0, notes };
}

async function falsified(log: OwnedLog, mutation: Mutation, look: () => Promise<void>): Promise<void> {
  await log.falsify(mutation);
  await look();
  await log.restore();
}

async function exportAnchor({ installation }: Scene, file: string): Promise<Anchor> {
  const verdict = await jsonCommand<Verdict>(installation.launch, ['audit', 'verify']);
  writeFileSync(file, JSON.stringify(verdict));
  return verdict.head;
}

/** Looks at numbers and links, which anybody can mend, and not at what the hashes say of the rows. */
const skippingHashes: Replace = (_sound, reader) => ({
  async isWhole() {
    const rows = await reader.all<Anchor & { prev_hash: string }>(
      'SELECT seq, hash, prev_hash FROM audit_log ORDER BY seq',
    );
    const [head] = await reader.all<Anchor>('SELECT seq, hash FROM audit_head');
    const isChained = rows.every(
      ({ seq, prev_hash }, i) => seq === i + 1 && prev_hash === (rows[i - 1]?.hash ?? ''),
    );
    return isChained && rows.at(-1)?.hash === head?.hash && rows.length === head?.seq;
  },
  byCommand: null,
});

const withFault =
  (replace: Replace) =>
  (bench: ProofBench): Promise<Outcome> =>
    prove(bench, FAULT_MUTATIONS, FAULT_CUTS, replace);

export const r21: Proof = {
  id: 'R21',
  databases: ['sqlite', 'postgres'],
  needsQuiet: true,
  requireTools: () => undefined,
  faults: {
    'skips-hashes': withFault(skippingHashes),
    'ignores-the-anchor': withFault((sound) => ({ isWhole: () => sound.isWhole(), byCommand: null })),
    'cries-wolf': withFault(() => ({ isWhole: async () => false, byCommand: null })),
  },
  run(bench) {
    const share = bench.quick ? 10 : 1;
    return prove(bench, MUTATIONS / share, CUTS / share);
  },
};
