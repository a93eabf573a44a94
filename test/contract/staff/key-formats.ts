import * as keyFormats from '#licensing/catalog/key-formats/index.ts';
import { keyFormatRecord } from '#licensing/catalog/key-formats/record.ts';
import { keyFormatResource } from '#licensing/catalog/key-formats/resource.ts';
import { KEY_ALPHABETS, KEY_CHECKSUMS } from '#licensing/contract/enumerations.ts';
import { ids } from '#licensing/contract/ids.ts';
import { type ResourceSample, seedRows } from '../../support/resource-sample.ts';

let made = 0;
const name = () => `format ${made++}`;

export const keyFormatSample: ResourceSample = {
  resource: keyFormatResource,
  rows: {
    'GET /key-formats': 'licensing:read',
    'GET /key-formats/export': 'licensing:read',
    'GET /key-formats/{id}': 'licensing:read',
    'POST /key-formats': 'licensing:write',
    'PATCH /key-formats/{id}': 'licensing:write',
    'DELETE /key-formats/{id}': 'licensing:write',
    'POST /key-formats/preview': 'licensing:read',
  },
  make: async (ctx) => ({
    id: (await keyFormats.create(ctx, { name: name(), prefix: 'ED', segments: 5 })).id,
  }),
  bodies: {
    'POST /key-formats': () => ({ name: name(), prefix: 'ED', segments: 5, alphabet: 'HEX' }),
    'PATCH /key-formats/{id}': () => ({ name: name(), note: 'clearer' }),
    'POST /key-formats/preview': () => ({ prefix: 'ED', segments: 5 }),
  },
  seed: (ctx, n) =>
    seedRows(ctx, keyFormatRecord.table, n, (i) =>
      keyFormatRecord.write({
        id: ctx.newId(ids.keyFormat),
        tenantId: ctx.tenantId,
        // The first characters are what a spreadsheet would run.
        name: `${i % 7 === 0 ? '=' : ''}seeded ${i}`,
        prefix: `K${i % 10}`,
        segments: 5,
        segmentLength: 4,
        alphabet: KEY_ALPHABETS[i % 3] as (typeof KEY_ALPHABETS)[number],
        checksum: KEY_CHECKSUMS[i % 2] as (typeof KEY_CHECKSUMS)[number],
        createdAt: ctx.now(),
        updatedAt: ctx.now(),
      }),
    ),
  everyProduct: true,
  changing: ['samples'],
  filters: { alphabet: 'HEX', checksum: 'NONE', q: 'K3' },
};
