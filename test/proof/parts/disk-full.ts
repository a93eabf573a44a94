// The disk of the database is full while clients write, and has space again: what they were told, and what is there.
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ALTERATIONS, startAlteringFront } from './altering-front.ts';
import { type Client, createClient } from './client.ts';
import { Cluster } from './cluster.ts';
import type { ProofDatabase } from './databases.ts';
import type { DiskOrder } from './disk-order.ts';
import { HealthWatch } from './health-watch.ts';
import { type Installation, installationAt, withKey } from './installation.ts';
import { PLANTED } from './planted.ts';
import { jsonCommand, type RunningServer, startServer } from './processes.ts';
import type { Outcome } from './proof.ts';
import { type Random, randomFrom } from './random.ts';
import { openReader } from './reader.ts';
import { SmallDisk } from './small-disk.ts';
import { codeOf, type Ground, layGround, Strain } from './strain.ts';
import { judgeStrain, type Planted, StrainFindings } from './strain-judge.ts';

const FILLS = 20;
const QUICK_FILLS = 2;
const MEGABYTES = { sqlite: 96, postgres: 192 } as const;
const TOLD_MS = 2000;
const RECOVERED_MS = 5000;
/** For the figure to be one. */
const LONGEST_MS = 15_000;
const FULL_WITHIN_MS = 30_000;
const MOST_LEFT_BYTES = 2_000_000;
/** What the clients of a fast machine write in LONGEST_MS has room in it. */
const ROOM_MEGABYTES = 256;
/** Clients work for so long before the disk is full, and while it is. */
const WORK_MS = 400;
const FULL_MS = 1000;

/** Everything that takes part. */
interface Scene {
  readonly disk: SmallDisk;
  readonly installation: Installation;
  readonly server: RunningServer;
  readonly ground: Ground;
  readonly token: string;
  readonly strain: Strain;
  readonly watch: HealthWatch;
  readonly client: Client;
  readonly random: Random;
  readonly found: StrainFindings;
  /** Products of the shop that were acknowledged. */
  products: number;
}

/** Plays it. */
export async function playFullDisk(order: DiskOrder): Promise<Outcome> {
  const { kind, folder, quick, plant } = order;
  const planted = PLANTED[plant ?? ''] ?? null;
  const isSqlite = kind === 'sqlite';
  const disk = new SmallDisk(join(folder, isSqlite ? 'home/data' : 'cluster/data'), MEGABYTES[kind]);
  const cluster = isSqlite ? null : await Cluster.make(join(folder, 'cluster'), join(folder, 'log'));
  const database = { kind, url: cluster?.url } as ProofDatabase;
  const bench = { exe: order.exe, folder, database, random: randomFrom(order.seed) };
  const installation = installationAt({ ...bench, quick, megabytes: undefined }, 'home', {
    APPCTL_RATE_LIMIT: 'off',
    // That the disk is full is logged for each request, as it should be.
    APPCTL_LOG_LEVEL: 'fatal',
  });
  const server = await startServer(installation.launch);
  const alter = ALTERATIONS[plant ?? '']?.();
  const front = alter ? await startAlteringFront(server.url, alter) : null;
  try {
    const scene = await openScene(disk, installation, server, front?.url ?? server.url, bench.random);
    const fills = quick || plant !== null ? QUICK_FILLS : FILLS;
    for (let i = 1; i <= fills; i++) await fillOnce(scene, i === fills);
    await conclude(scene, planted);
    return scene.found.outcome(planted?.kind);
  } finally {
    front?.close();
    await server.kill();
    await cluster?.stop();
  }
}

async function openScene(
  disk: SmallDisk,
  installation: Installation,
  server: RunningServer,
  url: string,
  random: Random,
): Promise<Scene> {
  const ground = await layGround(installation, server.url);
  const words = ['admin', 'token', 'create', '--name', 'proof', '--role', 'owner'];
  const { secret: token } = await jsonCommand<{ secret: string }>(installation.launch, words);
  // The spool is on the disk that is full, where the database is too.
  const mayTurnAway = installation.launch.env.APPCTL_DATABASE_URL === undefined;
  const strain = new Strain(url, ground, random, { mayTurnAway });
  const found = new StrainFindings();
  const [watch, client] = [new HealthWatch(url), createClient(url, 1)];
  return { disk, installation, server, ground, token, strain, watch, client, random, found, products: 0 };
}

async function fillOnce(scene: Scene, isLast: boolean): Promise<void> {
  const { disk, strain, watch, random, found } = scene;
  await sleep(WORK_MS + random.below(WORK_MS));
  const before = strain.failed;
  disk.fill(random.below(MOST_LEFT_BYTES));
  const untilMs = performance.now() + FULL_WITHIN_MS;
  while (strain.failed === before && performance.now() < untilMs) {
    await sleep(10);
    disk.fill();
  }
  if (strain.failed === before) throw new Error('no write failed: the disk was not full');
  const fullMs = performance.now();
  found.add('fills', 1);
  const told = await watch.until(503, fullMs, LONGEST_MS);
  found.most('told_ms', told ?? LONGEST_MS);
  found.late.unless(told !== null && told <= TOLD_MS, () => `health said nothing for ${told} ms`);
  const toldMs = performance.now();
  while (performance.now() < toldMs + FULL_MS) {
    disk.fill();
    await readAndWrite(scene);
  }
  const odd = watch.between(toldMs, performance.now()).filter(({ status }) => status !== 503);
  found.wrong.unless(odd.length === 0, () => `${odd[0]?.path} was ${odd[0]?.status} on a full disk`);
  await giveSpace(scene, isLast);
}

/** Reads are answered; the shop's writes are not made. */
async function readAndWrite(scene: Scene): Promise<void> {
  const { client, ground, found, random } = scene;
  const { key } = random.pick(ground.floating);
  const asked = { path: `/api/v1/license/check/${key}`, headers: withKey(ground.apiKey) };
  for (const ask of [asked, { path: '/api/shop/products' }]) {
    const { status, body } = await client.ask(ask);
    found.wrong.unless(status === 200, () => `${ask.path} was answered ${status}: ${body}`);
    found.add('reads', 1);
  }
  const written = await createProduct(scene);
  const isPromised = written.status === 500 && codeOf(written.body) === 'INTERNAL_ERROR';
  found.wrong.unless(
    isPromised || written.status === 201,
    () => `a product was answered ${written.status}: ${written.body}`,
  );
}

async function createProduct(scene: Scene): Promise<{ status: number; body: string }> {
  const { client, token, random } = scene;
  const headers = { Authorization: `Bearer ${token}` };
  const variant = { sku: random.word(12), price_cents: 700, requires_shipping: false };
  const body = { title: random.word(12), type: 'digital', status: 'active', variants: [variant] };
  const answer = await client.ask({ method: 'POST', path: '/api/store/products', headers, body });
  if (answer.status === 201) scene.products += 1;
  return answer;
}

/** A write of each surface is made and both say that all is well. */
async function giveSpace(scene: Scene, byGrowing: boolean): Promise<void> {
  const { disk, strain, watch, found } = scene;
  const { acked } = strain.ledger;
  if (!byGrowing) disk.empty();
  // What was acknowledged may have taken the room that there was.
  if (byGrowing || disk.freeBytes < ROOM_MEGABYTES * 1_048_576) disk.grow(ROOM_MEGABYTES);
  const fromMs = performance.now();
  const [health, shop, licenses] = await Promise.all([
    watch.until(200, fromMs, LONGEST_MS),
    since(fromMs, async () => (await createProduct(scene)).status === 201),
    since(fromMs, async () => strain.ledger.acked > acked),
  ]);
  const recovered = Math.max(health ?? LONGEST_MS, shop, licenses);
  found.most('recovered_ms', recovered);
  const say = () => `it recovered after ${recovered} ms (${health} ${shop} ${licenses})`;
  found.late.unless(recovered <= RECOVERED_MS, say);
}

/** @returns milliseconds until something is so; LONGEST_MS when that takes longer */
export async function since(fromMs: number, isSo: () => Promise<boolean>): Promise<number> {
  while (performance.now() < fromMs + LONGEST_MS) {
    if (await isSo()) return Math.round(performance.now() - fromMs);
    await sleep(10);
  }
  return LONGEST_MS;
}

async function conclude(scene: Scene, planted: Planted | null): Promise<void> {
  const { strain, watch, found, installation, client, server } = scene;
  await strain.end();
  await watch.stop();
  client.close();
  const reader = await openReader(installation);
  try {
    await judgeStrain(found, { installation, reader }, strain, planted);
    const [row] = await reader.all<{ n: number }>('SELECT count(*) AS n FROM products');
    const say = () => `${scene.products} products of the shop were acknowledged, and ${row?.n} are there`;
    found.lost.unless(row?.n === scene.products, say);
  } finally {
    await reader.close();
  }
  await found.stop(server);
}
