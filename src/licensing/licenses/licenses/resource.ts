import { z } from 'zod';
import { type PageAsked, pageOf, sliceOf } from '#kernel/service/pagination.ts';
import { action, adminResource, answering, beside, Deleted, listQuery } from '#platform/admin/index.ts';
import { licenseBasis } from './admin-basis.ts';
import { changePolicy } from './edit/change-policy.ts';
import { effectsOf } from './edit/effects.ts';
import {
  ChangePolicyBody,
  FindBody,
  LicenseUpdate,
  ReasonBody,
  RevealBody,
  RevealManyBody,
  SetBody,
  StaffRenewBody,
  StaffTransferBody,
} from './edit/schemas.ts';
import { set } from './edit/set.ts';
import { transfer } from './edit/transfer.ts';
import { update } from './edit/update.ts';
import { StaffReplaceKeyBody } from './keys/replace.ts';
import { extend, reinstate, renew, revoke, suspend } from './lifecycle.ts';
import type { License } from './queries.ts';
import { getByKey } from './reveal.ts';
import { RowsMade, RowsMadeBody, type StaffCreateBody } from './schemas.ts';
import { licenseScreen } from './screen.ts';
import { changed, purgeBy, replaceByStaff, revealAll, revealOne, trashBy } from './staff.ts';
import { rowsMade } from './staff-create.ts';
import { getAny } from './staff-read.ts';
import { timelineOf } from './timeline/queries.ts';
import { restore } from './trash/trash.ts';
import { LicenseKeysView, LicenseKeyView, TimelinePage } from './view.ts';

const write = { needs: 'licensing:write', level: 'moderate', where: 'both', conditional: true } as const;

/** Brings a suspended license back; the specification of the admin API says reinstate, commands say resume. */
const resuming = (where: 'both' | 'row') =>
  action<License>({
    ...write,
    where,
    label: 'Resume',
    level: 'mild',
    summary: 'Resume a suspended license',
    when: ({ storedStatus }) => storedStatus === 'SUSPENDED',
    run: (ctx, id, _input, how) => changed(ctx, id, how, (ctx) => reinstate(ctx, id)),
  });

/** Licenses for staff (licensing 4.2, admin.md 5.5). */
export const licenseResource = adminResource<License, typeof StaffCreateBody, typeof LicenseUpdate>({
  ...licenseBasis,
  edit: {
    schema: LicenseUpdate,
    preview: effectsOf,
    errors: ['CONFLICT', 'LICENSE_REVOKED'],
    run: async (ctx, id, input, how) => (await update(ctx, id, input, how)).license,
  },
  remove: {
    level: 'moderate',
    isBulk: true,
    summary: 'Move a license to the trash, release its machines and make its key unknown',
    input: ReasonBody,
    run: (ctx, id, how, input) =>
      trashBy(ctx, id, how, (input as z.output<typeof ReasonBody>).reason ?? null),
  },
  actions: {
    find: action<License, typeof FindBody>({
      label: 'Find by key',
      summary: 'Find the license of a complete key',
      needs: 'licensing:read',
      level: 'mild',
      where: 'page',
      input: FindBody,
      errors: ['NOT_FOUND', 'INVALID_KEY'],
      rehearsable: false,
      run: (ctx, _id, { key }) => getByKey(ctx, key),
    }),
    'rows-made': answering<License, typeof RowsMade, typeof RowsMadeBody>({
      label: 'Find rows of a file',
      summary: 'Find the licenses that rows of a file created, by their idempotency keys',
      needs: 'licensing:read',
      level: 'mild',
      where: 'page',
      input: RowsMadeBody,
      output: RowsMade,
      errors: [],
      run: async (ctx, _id, { idempotencyKeys }) => ({ made: await rowsMade(ctx, idempotencyKeys) }),
    }),
    suspend: action<License, typeof ReasonBody>({
      ...write,
      label: 'Suspend',
      input: ReasonBody,
      when: ({ storedStatus }) => storedStatus !== 'REVOKED' && storedStatus !== 'SUSPENDED',
      run: (ctx, id, { reason = null }, how) =>
        changed(ctx, id, how, (ctx) => suspend(ctx, id, { reason: 'ADMIN', note: reason })),
    }),
    resume: resuming('both'),
    reinstate: resuming('both'),
    revoke: action<License, typeof ReasonBody>({
      ...write,
      label: 'Revoke',
      level: 'severe',
      summary: 'Revoke a license permanently and end all its activations',
      input: ReasonBody,
      run: (ctx, id, { reason = null }, how) =>
        changed(ctx, id, how, (ctx) => revoke(ctx, { licenseId: id }, reason)),
    }),
    renew: action<License, typeof StaffRenewBody>({
      ...write,
      label: 'Renew',
      summary: 'Renew a license until a date, or by days from now or its expiration, whichever is later',
      input: StaffRenewBody,
      errors: ['LICENSE_REVOKED', 'PRECONDITION_FAILED'],
      run: (ctx, id, { validUntil, extendDays = 0, fromNow = false }, how) =>
        changed(ctx, id, how, (ctx) =>
          validUntil === undefined
            ? extend(ctx, id, extendDays, { fromNow })
            : renew(ctx, { licenseId: id }, validUntil),
        ),
    }),
    set: action<License, typeof SetBody>({
      ...write,
      where: 'bulk',
      label: 'Set',
      input: SetBody,
      run: (ctx, id, input) => set(ctx, id, input),
    }),
    'change-policy': action<License, typeof ChangePolicyBody>({
      ...write,
      label: 'Change policy',
      summary: "Change the policy of a license; RESET starts the new policy's term now",
      input: ChangePolicyBody,
      errors: ['LICENSE_REVOKED', 'CONFLICT', 'PRECONDITION_FAILED'],
      run: (ctx, id, input, how) => changed(ctx, id, how, (ctx) => changePolicy(ctx, id, input)),
    }),
    transfer: action<License, typeof StaffTransferBody>({
      ...write,
      where: 'row',
      label: 'Transfer',
      summary: 'Transfer a license to another customer and release its machines',
      input: StaffTransferBody,
      run: (ctx, id, input, how) => changed(ctx, id, how, (ctx) => transfer(ctx, id, input)),
    }),
    restore: action<License>({
      ...write,
      label: 'Restore',
      level: 'mild',
      summary: 'Restore a license from the trash',
      when: ({ deletedAt }) => deletedAt !== null,
      run: (ctx, id, _input, how) => changed(ctx, id, how, (ctx) => restore(ctx, id)),
    }),
    purge: answering<License, typeof Deleted>({
      label: 'Purge',
      summary: 'Permanently delete a license in the trash',
      needs: 'licensing:danger',
      level: 'severe',
      where: 'both',
      method: 'delete',
      conditional: true,
      output: Deleted,
      when: ({ deletedAt }) => deletedAt !== null,
      run: async (ctx, id, _input, how) => {
        await purgeBy(ctx, id, how);
        return { id, deleted: true };
      },
    }),
    'replace-key': action<License, typeof StaffReplaceKeyBody>({
      ...write,
      needs: 'licensing:secrets',
      where: 'row',
      label: 'Replace key',
      summary: 'Replace the key of a license; the old key works until the overlap ends',
      input: StaffReplaceKeyBody,
      beside: { newKey: z.string().nullable() },
      errors: ['LICENSE_REVOKED', 'PRECONDITION_FAILED'],
      async run(ctx, id, input, how) {
        const { license, newKey } = await replaceByStaff(ctx, id, input, how);
        return beside(license, { newKey });
      },
    }),
    'reveal-key': answering<License, typeof LicenseKeyView, typeof RevealBody>({
      label: 'Reveal key',
      summary: 'Show the full key of a license; its timeline records who saw it and why',
      needs: 'licensing:secrets',
      level: 'moderate',
      where: 'row',
      input: RevealBody,
      output: LicenseKeyView,
      errors: [],
      rehearsable: false,
      run: async (ctx, id, { reason }) => ({ id, key: await revealOne(ctx, id, reason) }),
    }),
    'reveal-keys': answering({
      label: 'Reveal keys',
      summary: 'Show the full keys of up to 500 licenses; their timelines record it',
      needs: 'licensing:secrets',
      level: 'severe',
      where: 'page',
      sudo: true,
      input: RevealManyBody,
      output: LicenseKeysView,
      errors: ['NOT_FOUND'],
      rehearsable: false,
      run: async (ctx, _id, { ids, reason }) => ({ keys: await revealAll(ctx, ids, reason) }),
    }),
    events: answering({
      label: 'Timeline',
      summary: 'List the timeline of a license, newest first',
      needs: 'licensing:read',
      level: 'mild',
      where: 'row',
      method: 'get',
      query: listQuery({}),
      output: TimelinePage,
      run: async (ctx, id, asked: PageAsked) => {
        await getAny(ctx, id);
        return pageOf(asked, await timelineOf(ctx, id, sliceOf(asked)));
      },
    }),
  },
  screen: licenseScreen,
  palette: {
    title: ({ keyPrefix }) => `${keyPrefix}-…`,
    hint: ({ productName, customer }) => `${productName}, ${customer.email}`,
  },
});
