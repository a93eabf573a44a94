import { column } from '#kernel/db/column.ts';
import { record, type ValuesOf } from '#kernel/db/record.ts';
import { ids } from '#licensing/contract/ids.ts';

/** Uses of one key from one address within an hour (D131). */
export const hitRecord = record(
  'license_honeypot_hits',
  {
    id: column.id(ids.honeypotHit),
    licenseKeyId: column.id(ids.licenseKey).references('license_keys').aside(),
    hour: column.hour().aside(),
    ip: column.text(64).personal(),
    endpoint: column.text(255),
    machineId: column.text(255).nullable(),
    userAgent: column.text(1000).nullable().personal(),
    count: column.integer(0),
    firstAt: column.time(),
    lastAt: column.time(),
    createdAt: column.time().aside(),
  },
  { natural: ['licenseKeyId', 'hour', 'ip'], kept: 'as long as the key that was used: it is evidence' },
);

export interface Hit extends ValuesOf<typeof hitRecord> {
  keyPrefix: string;
}
