import { z } from 'zod';
import { adminResource, beside } from '#platform/admin/index.ts';
import { create, find, honeypotView, remove } from './honeypots.ts';
import { hitRows, honeypotRows, type StoredHoneypot } from './queries.ts';
import type { Hit } from './record.ts';
import { HoneypotCreate } from './schemas.ts';
import { honeypotHitScreen, honeypotScreen } from './screen.ts';
import { HitView, HoneypotView, hitView } from './view.ts';

/** Canary keys, and replaced keys that became honeypots, for staff (licensing 4.2, Honeypots). */
export const honeypotResource = adminResource<StoredHoneypot, typeof HoneypotCreate>({
  name: 'honeypots',
  labels: { one: 'honeypot', many: 'honeypots' },
  about: 'Canary keys that raise an alert when used',
  needs: { read: 'licensing:read', create: 'licensing:secrets', write: 'licensing:write' },
  screen: honeypotScreen,
  rows: honeypotRows,
  get: find,
  create: {
    schema: HoneypotCreate,
    summary: 'Create a canary key, shown only once',
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

/** Who used a honeypot, for staff. The id of a license asks for its replaced keys. */
export const honeypotHitResource = adminResource<Hit>({
  name: 'honeypot-hits',
  labels: { one: 'use', many: 'uses of a honeypot' },
  about: 'Canary keys that raise an alert when used',
  needs: { read: 'licensing:read' },
  screen: honeypotHitScreen,
  rows: hitRows,
  apis: [
    {
      surface: 'license-admin',
      path: '/honeypots/{id}/hits',
      // `id` names the honeypot.
      key: 'hitId',
      parent: { name: 'id', filter: 'honeypot', find: async (ctx, id) => (await find(ctx, id)).id },
      item: 'hit',
      type: 'HoneypotHit',
      view: HitView,
      toView: hitView,
      without: ['get'],
      summaries: {
        list: 'List who used a canary key, newest first: one line per key, address and hour',
      },
    },
  ],
});
