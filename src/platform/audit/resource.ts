import { z } from 'zod';
import { count, integer, optional, text } from '#kernel/http/fields.ts';
import { later } from '#kernel/sharing.ts';
import { adminResource, answering, requireWholeInstallation } from '../admin/index.ts';
import { auditRows, type ReadRow, storeAuditRows } from './queries.ts';
import { auditScreen } from './screen.ts';
import { verify } from './verify.ts';
import {
  AuditEntryView,
  AuditVerdict,
  auditEntryView,
  StoreAuditEntryView,
  storeAuditEntryView,
} from './view.ts';

const Filters = later(() =>
  z.strictObject({
    q: optional(text({ min: 1, max: 200 })),
    ...Object.fromEntries(
      Object.entries(auditRows.parameters).map(([name, schema]) => [name, z.optional(schema)]),
    ),
  }),
);

const VerifyBody = later(() =>
  z
    .strictObject({
      anchor: optional(z.strictObject({ seq: integer(0), hash: text({ max: 100 }) })),
    })
    .meta({ id: 'AuditVerifyBody' }),
);

/** Who changed what, for staff (reliability M25). Nobody writes it by hand. */
export const auditResource = adminResource<ReadRow>({
  name: 'audit',
  labels: { one: 'audit entry', many: 'audit entries' },
  about: 'Who changed what, with proof that no entry is missing or altered',
  needs: { read: 'audit:read' },
  rows: auditRows,
  screen: auditScreen,
  actions: {
    count: answering({
      label: 'Count',
      summary: 'Count the entries that match the filters of the list',
      needs: 'audit:read',
      level: 'mild',
      where: 'page',
      method: 'get',
      query: Filters,
      output: z.object({ total: count() }).meta({ id: 'AuditCount' }),
      async run(ctx, _id, { q, ...filters }: z.output<typeof Filters>) {
        const { total } = await auditRows.page(ctx, { q, filters, offset: 0, limit: 1 });
        return { total };
      },
    }),
    verify: answering({
      label: 'Verify',
      summary: 'Check that no entry was changed, removed or added',
      needs: 'audit:read',
      level: 'mild',
      where: 'page',
      rehearsable: false,
      input: VerifyBody,
      output: AuditVerdict,
      errors: [],
      async run(ctx, _id, { anchor }) {
        requireWholeInstallation(ctx);
        return verify(ctx, anchor);
      },
    }),
  },
  apis: [
    {
      surface: 'license-admin',
      path: '/audit-log',
      item: 'auditEntry',
      view: AuditEntryView,
      toView: (row) => auditEntryView(row, row.personKey),
      paged: 'cursor',
    },
    {
      surface: 'store',
      path: '/audit-log',
      item: 'auditEntry',
      type: 'StoreAuditEntry',
      view: StoreAuditEntryView,
      toView: (row) => storeAuditEntryView(auditEntryView(row, row.personKey)),
      own: {
        needs: { read: 'audit:read', orRead: 'settings:read' },
        rows: storeAuditRows,
        actions: {},
      },
    },
  ],
});
