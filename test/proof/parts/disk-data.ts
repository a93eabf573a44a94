// The disk of the data directory is full while the database on Postgres has room: sales go on, what needs the disk is
// refused whole, and a purchase that could be kept nowhere is turned away.
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import sharp from 'sharp';
import { Cluster } from './cluster.ts';
import type { ProofDatabase } from './databases.ts';
import { since } from './disk-full.ts';
import type { DiskOrder } from './disk-order.ts';
import { HealthWatch } from './health-watch.ts';
import { type Installation, installationAt } from './installation.ts';
import { PLANTED } from './planted.ts';
import { jsonCommand, startServer } from './processes.ts';
import type { Outcome } from './proof.ts';
import { type Random, randomFrom } from './random.ts';
import { openReader } from './reader.ts';
import { SmallDisk } from './small-disk.ts';
import { codeOf, layGround, Strain } from './strain.ts';
import { judgeStrain, StrainFindings } from './strain-judge.ts';

const FILLS = 5;
const MEGABYTES = 320;
/** Less than the program keeps free for sales. */
const LITTLE_BYTES = 150 * 1_048_576;
const WORK_MS = 800;
const RECOVERED_MS = 5000;
const TURNED_AWAY_MS = 20_000;
const SIDE = 500;
const SETTLED_MS = 5000;
/** Until what was sent has come. */
const ARRIVED_MS = 200;
/** Of an upload that the disk should have no room for. */
const TRIES = 5;

interface Scene {
  readonly disk: SmallDisk;
  readonly cluster: Cluster;
  readonly installation: Installation;
  readonly url: string;
  readonly secret: string;
  readonly strain: Strain;
  readonly watch: HealthWatch;
  readonly random: Random;
  readonly found: StrainFindings;
  /** Pictures that were acknowledged. */
  taken: number;
  /** Leaves a part of an upload behind. */
  readonly leavesPart: boolean;
}

/** Plays it. */
export async function playFullData({ exe, folder, quick, seed, plant }: DiskOrder): Promise<Outcome> {
  const disk = new SmallDisk(join(folder, 'files/data'), MEGABYTES);
  const cluster = await Cluster.make(join(folder, 'roomy'));
  const random = randomFrom(seed);
  const database = { kind: 'postgres', url: cluster.url } as ProofDatabase;
  const bench = { exe, folder, database, random, quick, megabytes: undefined };
  const env = { APPCTL_RATE_LIMIT: 'off', APPCTL_LOG_LEVEL: 'fatal' };
  const installation = installationAt(bench, 'files', env);
  const server = await startServer(installation.launch);
  const { url } = server;
  try {
    const ground = await layGround(installation, url);
    const words = ['apikey', 'create', '--service', 'store', '--name', 'proof', '--scope', 'products:write'];
    const { secret } = await jsonCommand<{ secret: string }>(installation.launch, words);
    const strain = new Strain(url, ground, random, { mayTurnAway: true });
    const [watch, found] = [new HealthWatch(url), new StrainFindings()];
    const planted = PLANTED[plant ?? ''] ?? null;
    const leavesPart = planted !== null;
    const parts = { disk, cluster, installation, url, secret, strain, watch, random, found, leavesPart };
    const scene: Scene = { ...parts, taken: 0 };
    for (let i = 0; i < (quick || leavesPart ? 1 : FILLS); i++) await fillOnce(scene);
    await strain.end();
    await watch.stop();
    const reader = await openReader(installation);
    await judgeStrain(found, { installation, reader }, strain, planted).finally(() => reader.close());
    await found.stop(server);
    return found.outcome(planted?.kind);
  } finally {
    await server.kill();
    await cluster.stop();
  }
}

async function fillOnce(scene: Scene): Promise<void> {
  const { disk, strain, watch, found, random } = scene;
  await sleep(WORK_MS + random.below(WORK_MS));
  const before = filesOf(disk);
  const picture = await noise(random);
  const [fromMs, failed] = [performance.now(), strain.failed];
  // Nearly full: what is sent is refused before it begins.
  disk.fill(LITTLE_BYTES);
  judgeRefusal(scene, await upload(scene, Buffer.from(picture)));
  await refuse(scene, picture, true);
  found.add('fills', 1);
  for (let i = 0; i < 3; i++) await refuse(scene, picture);
  await sleep(WORK_MS);
  found.wrong.unless(
    strain.failed === failed,
    () => `${strain.failed - failed} writes failed beside the disk`,
  );
  const odd = watch.between(fromMs, performance.now()).filter(({ status }) => status !== 200);
  found.wrong.unless(odd.length === 0, () => `${odd[0]?.path} was ${odd[0]?.status}`);
  await turnAway(scene);
  disk.empty();
  if (scene.leavesPart) disk.leave('data/media/part');
  const more = await leftOver(scene, before);
  found.partial.unless(more.length === 0, () => `left behind: ${more.join(', ')}`);
  const backMs = performance.now();
  const recovered = await since(
    backMs,
    async () => (await upload(scene, Buffer.from(picture))).status === 201,
  );
  found.most('recovered_ms', recovered);
  found.late.unless(recovered <= RECOVERED_MS, () => `a picture was taken after ${recovered} ms`);
}

/** What the program writes for itself beside files of people. */
const filesOf = (disk: SmallDisk): string[] =>
  disk.files('.', (path) => !/(^|\/)(media|incoming|\.incoming|bundles|spool|uploads|tmp)(\/|$)/.test(path));

/** What is under way is in its place soon, or gone. A purchase that is kept there waits for its job. */
async function leftOver({ disk, taken }: Scene, before: readonly string[]): Promise<string[]> {
  const look = (): string[] => {
    const all = filesOf(disk);
    // Sizes of a picture are made after it was acknowledged.
    const whole = all.flatMap((file) => /^(.*\/)original \d+$/.exec(file)?.[1] ?? []);
    const isWhole = (file: string): boolean =>
      whole.length <= taken && whole.some((folder) => file.startsWith(folder));
    return all.filter((file) => !before.includes(file) && !isWhole(file) && !/spool\/.*\.json /.test(file));
  };
  const endMs = performance.now() + SETTLED_MS;
  while (look().length > 0 && performance.now() < endMs) await sleep(50);
  return look();
}

/** @param midway the disk becomes full when half of the picture has come */
async function refuse(scene: Scene, picture: Buffer, midway = false): Promise<void> {
  let answer = { status: 201, body: '' };
  // What the program deletes meanwhile may be room for it.
  for (let tries = 0; answer.status === 201 && tries < TRIES; tries++) {
    if (midway) scene.disk.empty();
    else scene.disk.fill();
    answer = await upload(scene, midway ? filling(scene, picture) : Buffer.from(picture));
  }
  judgeRefusal(scene, answer);
}

function judgeRefusal({ found }: Scene, { status, body }: { status: number; body: string }): void {
  const isRefused = status === 507 && codeOf(body) === 'INTERNAL_ERROR';
  found.wrong.unless(isRefused, () => `an upload was answered ${status}: ${body}`);
  found.add('uploads_refused', 1);
}

async function* filling({ disk }: Scene, picture: Buffer): AsyncGenerator<Uint8Array> {
  const half = Math.floor(picture.length / 2);
  yield picture.subarray(0, half);
  await sleep(ARRIVED_MS);
  disk.fill();
  yield picture.subarray(half);
}

async function upload(
  scene: Scene,
  picture: Buffer | AsyncIterable<Uint8Array>,
): Promise<{ status: number; body: string }> {
  const { url, secret } = scene;
  const headers = { Authorization: `Bearer ${secret}`, 'Content-Type': 'application/octet-stream' };
  const sent = { method: 'POST', headers, body: picture, duplex: 'half' } as RequestInit;
  const answer = await fetch(`${url}/api/store/media`, sent);
  if (answer.status === 201) scene.taken += 1;
  return { status: answer.status, body: await answer.text() };
}

/** A picture that no compression makes small. */
const noise = (random: Random): Promise<Buffer> =>
  sharp(Buffer.from(Array.from({ length: SIDE * SIDE * 3 }, () => random.below(256))), {
    raw: { width: SIDE, height: SIDE, channels: 3 },
  })
    .png()
    .toBuffer();

/** Without a database as well there is no place for a purchase. */
async function turnAway({ cluster, strain, found }: Scene): Promise<void> {
  const { turnedAway } = strain;
  cluster.signal('SIGSTOP');
  const endMs = performance.now() + TURNED_AWAY_MS;
  while (strain.turnedAway === turnedAway && performance.now() < endMs) await sleep(50);
  cluster.signal('SIGCONT');
  found.wrong.unless(strain.turnedAway > turnedAway, () => 'no purchase was turned away');
}
