// The inside of R10: runs as a process in a namespace of its own, where every address leads to this machine.
// usage: node ssrf-scene.ts ORDER, the order as JSON; prints the outcome as JSON in its last line.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openSource } from './databases.ts';
import { installationAt } from './installation.ts';
import { command, type Launch } from './processes.ts';
import { Complaints, type DatabaseKind, type Outcome } from './proof.ts';
import { randomFrom } from './random.ts';
import { HONEST, nameCases, PUBLIC, redirects, refusedUrls, takenUrls } from './ssrf-cases.ts';
import {
  openAllowAll,
  openExecutable,
  openLookThenFetch,
  type Sender,
  type Sent,
  type Target,
} from './ssrf-sender.ts';
import { makeWorld, type World } from './ssrf-world.ts';

/** What the proof asks this process for. */
export interface SceneOrder {
  exe: string;
  kind: DatabaseKind;
  folder: string;
  sender: 'executable' | 'allow-all' | 'look-then-fetch';
}

const HARMLESS = `http://${HONEST}/`;
/** A proxy that nobody may use: its address is a canary. */
const PROXY = 'http://10.9.9.9:3000';
const MIN_SPELLINGS = 120;
const AT_COMMAND_LINE = ['https://127.1/', 'http://[::ffff:10.9.9.9]/', 'http://private.example.com/'];

/** One address at delivery, and what must come of it. */
interface Expected extends Target {
  means: 'blocked' | 'failed' | 'reached' | 'either' | number;
}

/** Each spelling and each name at save: nothing may be connected to. */
async function atSave(sender: Sender, world: World): Promise<Complaints> {
  const odd = new Complaints();
  const save = async (url: string, wanted: string): Promise<void> => {
    const answer = await sender.save(url);
    const isRight = wanted === 'either' ? answer === 'taken' || answer === 'refused' : answer === wanted;
    odd.unless(isRight, () => `at save ${JSON.stringify(url)} is ${answer}, not ${wanted}`);
  };
  for (const { name, behavior } of nameCases) world.dns.script(name, behavior);
  for (const url of refusedUrls) await save(url, 'refused');
  for (const url of takenUrls) await save(url, 'taken');
  for (const { name, atSave: wanted } of nameCases) await save(`http://${name}/x`, wanted);
  odd.unless(world.paths.length === 0, () => `${world.paths.length} requests were made at save`);
  return odd;
}

/** Stored behind the guard, moved behind it, or answered with a redirect. */
function targets(): Expected[] {
  // No text of Postgres holds a NUL.
  const storable = refusedUrls.filter((url) => !url.includes('\0'));
  return [
    ...storable.map((stored) => ({ saved: HARMLESS, stored, means: 'blocked' as const })),
    ...takenUrls.map((stored) => ({ saved: HARMLESS, stored, means: 'reached' as const })),
    ...nameCases.map(({ name, atDelivery }) => same(`http://${name}/x`, atDelivery)),
    ...Object.keys(redirects).map((status) => same(`${HARMLESS}redirect/${status}`, Number(status))),
  ];
}

const same = (url: string, means: Expected['means']): Expected => ({ saved: url, stored: url, means });

async function atDelivery(sender: Sender, world: World): Promise<{ odd: Complaints; sent: Sent[] }> {
  const odd = new Complaints();
  const all = targets();
  for (const { name } of nameCases) world.dns.script(name, { addresses: [PUBLIC] });
  const sent = await sender.deliver(all, () => {
    for (const { name, behavior } of nameCases) world.dns.script(name, behavior);
  });
  for (const [i, { stored, means }] of all.entries()) {
    const { attempts = 0, status = null, error = null } = sent[i] ?? {};
    const isRight = attempts > 0 && came(means, status, error);
    odd.unless(isRight, () => `at delivery ${JSON.stringify(stored)} is ${status ?? error}, not ${means}`);
  }
  return { odd, sent };
}

function came(means: Expected['means'], status: number | null, error: string | null): boolean {
  const isBlocked = status === null && /^blocked address/.test(error ?? '');
  if (means === 'reached') return status === 200;
  if (means === 'blocked') return isBlocked;
  if (means === 'failed') return status === null && !isBlocked;
  return means === 'either' ? status === 200 || isBlocked : status === means;
}

/** The same guard stands before those who type. */
async function atCommandLine(launch: Launch): Promise<Complaints> {
  const odd = new Complaints();
  for (const url of AT_COMMAND_LINE) {
    const words = ['webhook', 'create', '--service', 'license', '--url', url, '--json', '--yes'];
    const { code, stdout, stderr } = await command(launch, words);
    odd.unless(
      code !== 0 && /VALIDATION_ERROR/.test(stdout + stderr),
      () => `webhook create --url ${url}: ${code}`,
    );
  }
  return odd;
}

async function proveExecutable(order: SceneOrder, world: World): Promise<Outcome> {
  const source = await openSource(order.kind);
  const random = randomFrom(1);
  const database = await source.create(random.word(20));
  const authority = join(order.folder, 'authority.pem');
  writeFileSync(authority, world.authority);
  const bench = {
    exe: order.exe,
    folder: order.folder,
    database,
    random,
    quick: false,
    megabytes: undefined,
  };
  const installation = installationAt(bench, 'named', {
    APPCTL_RATE_LIMIT: 'off',
    APPCTL_LOG_LEVEL: 'warn',
    APPCTL_SETTING_WEBHOOKS__ALLOW_HTTP: 'true',
    NODE_EXTRA_CA_CERTS: authority,
    NODE_USE_ENV_PROXY: '1',
    HTTP_PROXY: PROXY,
    HTTPS_PROXY: PROXY,
  });
  const sender = await openExecutable(installation);
  try {
    const saved = await atSave(sender, world);
    const typed = await atCommandLine(installation.launch);
    const { odd, sent } = await atDelivery(sender, world);
    return judge(world, [saved, typed, odd], sent);
  } finally {
    await sender.close();
    await database.drop();
    await source.stop();
  }
}

/** A planted client that reaches no canary shows that the canaries see nothing: the proof is void. */
async function proveFault(sender: Sender, world: World): Promise<Outcome> {
  const saved = await atSave(sender, world);
  const { odd, sent } = await atDelivery(sender, world);
  return { ...judge(world, [saved, new Complaints(), odd], sent), passed: world.canaries.length === 0 };
}

function judge({ canaries, paths }: World, [saved, typed, delivered]: Complaints[], sent: Sent[]): Outcome {
  const kinds = Object.keys(redirects).length;
  const reached = paths.filter((path) => !path.includes('redirect')).length;
  const figures = {
    spellings: refusedUrls.length,
    names: nameCases.length,
    redirects: kinds,
    attempts: sent.reduce((sum, { attempts }) => sum + attempts, 0),
    wrong_at_save: (saved?.count ?? 0) + (typed?.count ?? 0),
    wrong_at_delivery: delivered?.count ?? 0,
    reached,
    canary: canaries.length,
  };
  const notes = [saved, typed, delivered].flatMap((one) => one?.notes ?? []);
  if (canaries.length > 0) notes.push(`connections to ${[...new Set(canaries)].slice(0, 10).join(', ')}`);
  if (refusedUrls.length < MIN_SPELLINGS) notes.push(`fewer than ${MIN_SPELLINGS} spellings`);
  if (reached < takenUrls.length) notes.push(`only ${reached} requests reached the public receiver`);
  return { figures, passed: notes.length === 0, notes };
}

const order = JSON.parse(process.argv[2] ?? '') as SceneOrder;
// Leaving so ends the processes that were started here.
process.once('SIGTERM', () => process.exit(143));
const world = await makeWorld();
const careless = { 'allow-all': openAllowAll, 'look-then-fetch': openLookThenFetch };
try {
  const outcome =
    order.sender === 'executable'
      ? await proveExecutable(order, world)
      : await proveFault(careless[order.sender](), world);
  process.stdout.write(`${JSON.stringify(outcome)}\n`);
} finally {
  await world.close();
}
