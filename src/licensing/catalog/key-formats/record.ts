import { z } from 'zod';
import { column } from '#kernel/db/column.ts';
import { record, type ValuesOf } from '#kernel/db/record.ts';
import { KEY_ALPHABETS, KEY_CHECKSUMS } from '#licensing/contract/enumerations.ts';
import { ids } from '#licensing/contract/ids.ts';
import { tenantColumn } from '#platform/tenants/index.ts';

/** Named key formats of a tenant (D133, licensing section 8.2). */
export const keyFormatRecord = record(
  'license_key_formats',
  {
    id: column.id(ids.keyFormat),
    tenantId: tenantColumn(),
    name: column.text(100, 1),
    prefix: column.text(10, 2),
    segments: column.integer(4, 20),
    segmentLength: column.form(z.literal(4)),
    alphabet: column.choice(KEY_ALPHABETS),
    checksum: column.choice(KEY_CHECKSUMS),
    createdAt: column.time(),
    updatedAt: column.time(),
  },
  { natural: ['tenantId', 'name'] },
);

/** A named key format. */
export type StoredKeyFormat = ValuesOf<typeof keyFormatRecord>;
