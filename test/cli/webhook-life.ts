// An installation whose webhooks are gone before every test, and the commands that make one.
import { afterAll, beforeAll, beforeEach } from 'vitest';
import type { Ctx } from '#kernel/context.ts';
import { licenseWebhooks } from '#licensing/insight/webhooks/index.ts';
import * as webhooks from '#platform/webhooks/index.ts';
import { errorOf } from '../support/cli-process.ts';
import { type Installation, prepareInstallation } from './prepared-installation.ts';

/** What the commands print of a webhook. */
export interface Hook {
  id: string;
  name: string;
  url: string;
  events: string[];
  productIds: string[] | null;
  headers: string[];
  enabled: boolean;
  secret?: string;
  dryRun?: true;
  [field: string]: unknown;
}

/** Nobody has to answer there, and no name has to be looked up. */
export const URL_TEXT = 'https://203.0.114.10/hooks';
export const create = ['webhook', 'create', '--service', 'license', '--url', URL_TEXT];

/** Gives a test file one installation with the product `editor`. */
export function useWebhookLife() {
  let installation: Installation;
  beforeAll(async () => {
    installation = await prepareInstallation();
    await installation.answer(['product', 'create', '--name', 'Editor', '--slug', 'editor']);
  });
  afterAll(() => installation.remove());
  beforeEach(() =>
    within(async (ctx) => {
      const { items } = await webhooks.webhookRows(licenseWebhooks.name).page(ctx, { offset: 0, limit: 500 });
      for (const { id } of items) await webhooks.remove(ctx, licenseWebhooks, id);
    }),
  );
  async function within<T>(work: (ctx: Ctx) => Promise<T>): Promise<T> {
    const instance = await installation.open();
    try {
      return await work(instance.ctx);
    } finally {
      await instance.close();
    }
  }
  return {
    get it(): Installation {
      return installation;
    },
    make: (...more: string[]) => installation.answer<Hook>([...create, ...more]),
    /** Runs a command that must fail and gives its code, its message and what it printed. */
    async failure(...args: string[]) {
      const run = await installation.inside([...args, '--json']);
      return { exit: run.code, stdout: run.stdout, ...errorOf(run) };
    },
  };
}
