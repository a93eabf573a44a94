import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import type { Endpoint } from '#kernel/http/endpoint.ts';
import { text } from '#kernel/http/fields.ts';
import { page, show } from '#kernel/http/page.ts';
import { localMinute } from '#kernel/local-time.ts';
import { later } from '#kernel/sharing.ts';
import { perform } from '#platform/admin/index.ts';
import { PANEL } from '#platform/panel/index.ts';
import * as licenses from '../licenses/index.ts';
import { offlineTokenAdminEndpoints } from './admin-endpoints.ts';
import { list } from './staff.ts';

const SHOWN = 20;
const USUAL_DAYS = '30';
const PATH = '/admin/licenses/{id}/offline-token';
const issuing = offlineTokenAdminEndpoints.find(({ method }) => method === 'post') as Endpoint;

/** Texts, which the operation judges. */
const Form = later(() =>
  z.object({
    machineId: z.string().max(300).meta({ title: 'Machine ID' }),
    ttlDays: z.string().max(10).meta({ title: 'Valid for (days)' }),
    activate: z.string().max(10).optional(),
    once: z.string().max(64).optional(),
  }),
);

/** An offline token for a machine without a network, made in the browser (admin.md 5.5, License). */
export const offlineTokenPages = [
  page({
    path: PATH,
    title: 'Offline token',
    audience: { staff: 'licensing:secrets' },
    layout: PANEL,
    help: 'offline-licenses',
    params: z.strictObject({ id: text({ min: 1, max: 255 }) }),
    form: Form,
    async show(ctx, { params: { id } }) {
      const license = await licenses.get(ctx, id);
      const machines = await licenses.listActivations(ctx, id);
      return show(
        'licensing/offline-token',
        {
          name: `${license.keyPrefix}-…`,
          path: addressOf(id),
          machines: machines.map(({ machineId, machineName }) => ({ machineId, machineName })),
          issued: await issuedFor(ctx, id),
        },
        { values: { ttlDays: USUAL_DAYS } },
      );
    },
    async submit(ctx, { params: { id }, form: { machineId, ttlDays, activate } }) {
      const days = ttlDays.trim();
      const body = {
        machineId: machineId.trim(),
        // What is no number is refused by the operation, in its words.
        ttlDays: /^\d{1,6}$/.test(days) ? Number(days) : days,
        activate: activate === 'true',
      };
      const reply = await perform(ctx, issuing, { params: { id }, body });
      const { token, expiresAt } = reply.body as { token: string; expiresAt: string };
      return show('panel/result', {
        heading: 'The offline token was created',
        subject: `For machine ${body.machineId}, valid until ${localMinute(new Date(expiresAt))}.`,
        lines: [{ label: 'Token', text: token, isBlock: false, isSecret: true }],
        hasSecret: true,
        next: addressOf(id),
      });
    },
  }),
];

const addressOf = (id: string): string => `/admin/licenses/${encodeURIComponent(id)}`;

async function issuedFor(ctx: Ctx, licenseId: string) {
  const { items, pagination } = await list(ctx, licenseId, { page: 1, limit: SHOWN });
  const shown = items.map(({ issuedAt, expiresAt, issuedBy }) => ({
    issuedAt: localMinute(new Date(issuedAt)),
    expiresAt: localMinute(new Date(expiresAt)),
    issuedBy,
  }));
  return { items: shown, total: pagination.total };
}
