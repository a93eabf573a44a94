import { z } from 'zod';
import { ListQuery } from '#kernel/service/pagination.ts';
import { adminResource, answering, beside } from '#platform/admin/index.ts';
import { create, find, honeypotView, listHits, remove } from './honeypots.ts';
import { honeypotRows, type StoredHoneypot } from './queries.ts';
import { HoneypotCreate } from './schemas.ts';
import { HitPage, HoneypotView } from './view.ts';

/** Canary keys, and replaced keys that became honeypots, for staff (licensing 4.2, Honeypots). */
export const honeypotResource = adminResource<StoredHoneypot, typeof HoneypotCreate>({
  name: 'honeypots',
  labels: { one: 'honeypot', many: 'honeypots' },
  about: 'Canary keys that raise an alert when used',
  needs: { read: 'licensing:read', create: 'licensing:secrets', write: 'licensing:write' },
  rows: honeypotRows,
  get: find,
  create: {
    schema: HoneypotCreate,
    summary: 'Make a canary key, which is shown this once',
    sudo: true,
    errors: ['NOT_FOUND'],
    beside: { key: z.string() },
    // What is only rehearsed is there no longer afterwards.
    run: (ctx, input) =>
      ctx.tx(async (ctx) => {
        const { honeypot, key } = await create(ctx, input);
        return beside(await find(ctx, honeypot.id), { key });
      }),
  },
  remove: {
    level: 'moderate',
    summary: 'Delete a canary key with its report',
    errors: [],
    preview: async (ctx, id) => [`${(await find(ctx, id)).hits} recorded uses of the key`],
    run: remove,
  },
  actions: {
    hits: answering({
      label: 'Uses',
      summary: 'List who used a honeypot, newest first: one line per key, address and hour',
      needs: 'licensing:read',
      level: 'mild',
      where: 'row',
      method: 'get',
      query: z.strictObject(ListQuery.shape),
      output: HitPage,
      run: (ctx, id, asked) => listHits(ctx, id, asked),
    }),
  },
  apis: [
    {
      surface: 'license-admin',
      path: '/honeypots',
      item: 'honeypot',
      view: HoneypotView,
      toView: honeypotView,
    },
  ],
});
