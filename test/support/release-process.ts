// A process of its own that changes releases: opens the installation that the environment names and does what it is
// told. Each line of stdin is a list of ReleaseTasks that begin at the same time; each is answered with their outcomes.
import { createInterface } from 'node:readline';
import { loadConfig } from '#kernel/config/load.ts';
import { AppError } from '#kernel/errors.ts';
import { logTo } from '#kernel/log.ts';
import * as products from '#licensing/catalog/products/index.ts';
import * as releases from '#licensing/releases/releases/index.ts';
import { openInstance } from '../../src/app/instance.ts';

/** What is done to a release, or to a product: `slug` is its new one. */
export type ReleaseTask =
  | { task: 'publish' | 'remove' | 'yank' | 'removeProduct'; id: string }
  | { task: 'rename'; id: string; slug: string }
  | { task: 'create'; id: string; version: string };

const { config } = await loadConfig();
const log = logTo({ write: () => undefined }, 'silent');
const { ctx, close } = await openInstance({ config, log, mode: 'use' });

const run: Record<ReleaseTask['task'], (task: ReleaseTask) => Promise<unknown>> = {
  publish: ({ id }) => releases.publish(ctx, id),
  remove: ({ id }) => releases.remove(ctx, id),
  yank: ({ id }) => releases.yank(ctx, id, { reason: 'race', unpublishFile: true }),
  removeProduct: ({ id }) => products.remove(ctx, id),
  rename: (task) => products.update(ctx, task.id, { slug: 'slug' in task ? task.slug : '' }),
  create: (task) =>
    releases.create(ctx, { productId: task.id, version: 'version' in task ? task.version : '' }),
};

/** `done`, or the reason of the refusal, else its code. */
async function outcomeOf(task: ReleaseTask): Promise<string> {
  try {
    await run[task.task](task);
    return 'done';
  } catch (error) {
    return error instanceof AppError ? String(error.details.reason ?? error.code) : String(error);
  }
}

process.stdout.write('"ready"\n');
for await (const line of createInterface({ input: process.stdin })) {
  const outcomes = await Promise.all((JSON.parse(line) as ReleaseTask[]).map(outcomeOf));
  process.stdout.write(`${JSON.stringify(outcomes)}\n`);
}
await close();
