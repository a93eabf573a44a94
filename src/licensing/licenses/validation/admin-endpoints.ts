/** What a client would be answered now, and why, for staff (admin.md 5.5, explain). */

import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { endpoint, ok } from '#kernel/http/endpoint.ts';
import { optional, report, text } from '#kernel/http/fields.ts';
import { idField } from '#kernel/service/fields.ts';
import { later } from '#kernel/sharing.ts';
import { maskKey } from '#licensing/catalog/key-formats/index.ts';
import { licenseKeyField, machineIdField } from '#licensing/contract/fields.ts';
import { bounds } from '#licensing/contract/limits.ts';
import { get } from '../licenses/index.ts';
import { openKey } from '../standing/index.ts';
import { validate } from './validation.ts';
import { ExplainedValidation } from './view.ts';

const StaffValidateBody = later(() =>
  z
    .strictObject({
      /** As the client has it, also mistyped. */
      licenseKey: optional(licenseKeyField()),
      licenseId: optional(idField()),
      machineId: machineIdField(),
      appVersion: optional(text({ max: bounds.appVersion })),
    })
    .check((checked) => {
      const { licenseKey, licenseId } = checked.value;
      if ((licenseKey === undefined) === (licenseId === undefined))
        report(checked, 'required', 'either licenseKey or licenseId is needed', ['licenseKey']);
    })
    .meta({ id: 'StaffValidateBody' }),
);

export const validationAdminEndpoints = [
  endpoint({
    method: 'post',
    path: '/api/v1/admin/licenses/validate',
    summary: 'Show how a validation would be answered now, and why; nothing is recorded',
    scope: 'licensing:read',
    limit: null,
    body: StaffValidateBody,
    replies: { 200: ExplainedValidation },
    errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
    handle: async (ctx, { body: { licenseKey, licenseId, ...asked } }) => {
      const key = licenseKey ?? (await keyOf(ctx, licenseId ?? ''));
      const { answer, decision } = await validate(ctx, { ...asked, licenseKey: key }, { explain: true });
      return ok({ ...masked(answer), explain: decision.trace });
    },
  }),
];

/** The key stays inside the program: nothing is revealed, so nothing is audited. */
async function keyOf(ctx: Ctx, licenseId: string): Promise<string> {
  const license = await get(ctx, licenseId);
  return openKey(ctx, license.sealedKey, license.id);
}

function masked(answer: Record<string, unknown>): Record<string, unknown> {
  const license = answer.license as { key: string } | null;
  return license === null ? answer : { ...answer, license: { ...license, key: maskKey(license.key) } };
}
