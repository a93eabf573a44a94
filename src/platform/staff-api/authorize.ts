import { allows } from '#kernel/actor.ts';
import type { Ctx } from '#kernel/context.ts';
import type { AppError } from '#kernel/errors.ts';
import type { Endpoint } from '#kernel/http/endpoint.ts';
import type { Owed } from '#kernel/http/session-keeper.ts';
import type { Caller } from '#kernel/http/surface.ts';
import { fail } from '#kernel/service/errors.ts';
import { ANY_STAFF } from '../admin/index.ts';
import { isFreshProof } from '../sessions/index.ts';
import { OWN_ACCOUNT, personIn } from './person.ts';

/** Who calls the admin API. */
export interface StaffCaller extends Caller {
  /** The role of a token, for what it is told. */
  readonly role?: string;
  /** When the person gave the password last; absent for a token, which is no person. */
  readonly passwordProvenAt?: string | null;
  /** What the person has to do first; null for nothing. */
  readonly owes: Owed | null;
}

/**
 * Whether a caller may do what an endpoint does.
 *
 * @throws AppError INSUFFICIENT_SCOPE with `details.reason`, or with the permission that is missing
 */
export function authorize(ctx: Ctx, caller: StaffCaller, endpoint: Endpoint): void {
  requireNothingOwed(caller, endpoint);
  requireOwnEyes(caller, endpoint);
  const { scope, orScope, sudo } = endpoint;
  const opens = [scope, orScope].some((one) => typeof one === 'string' && allows(caller.actor, one));
  if (scope === OWN_ACCOUNT) personIn(ctx);
  else if (scope !== null && scope !== ANY_STAFF && !opens) throw lacking(scope, caller);
  if (sudo) requireProof(ctx, caller);
}

/** A token has no password to give again. @throws AppError INSUFFICIENT_SCOPE, reason SUDO_REQUIRED */
export function requireProof(ctx: Ctx, { passwordProvenAt }: StaffCaller): void {
  if (passwordProvenAt === undefined || isFreshProof(ctx, passwordProvenAt)) return;
  throw refusal('SUDO_REQUIRED', 'Enter your password again to continue', {
    hint: 'POST /api/v1/admin/auth/sudo {"password": "…"}, then repeat',
  });
}

const owed: Record<Owed, readonly [reason: string, message: string]> = {
  NEW_PASSWORD: ['NEW_PASSWORD_REQUIRED', 'Choose a new password first'],
  SECOND_FACTOR: ['TWO_FACTOR_ENROLMENT_REQUIRED', 'Set up a second factor first'],
};

function requireNothingOwed({ owes }: StaffCaller, { despite = [] }: Endpoint): void {
  if (owes !== null && !despite.includes('owing')) throw owedRefusal(owes);
}

/** What whoever owes something is told, whatever else was asked for. */
export const owedRefusal = (owes: Owed): AppError => refusal(...owed[owes]);

function requireOwnEyes({ actor }: StaffCaller, { method, despite = [] }: Endpoint): void {
  if (actor.viewing && method !== 'get' && !despite.includes('viewing'))
    throw refusal('READ_ONLY_VIEW', `Nothing can be changed while you view as ${actor.label}`);
}

const refusal = (reason: string, message: string, more: Record<string, unknown> = {}): AppError =>
  fail('INSUFFICIENT_SCOPE', message, { details: { reason, ...more } });

function lacking(required: string, { role }: StaffCaller): AppError {
  const who = role === undefined ? 'your account' : `role ${role}`;
  return fail('INSUFFICIENT_SCOPE', `This needs the permission ${required}, which ${who} lacks`, {
    details: { required, ...(role !== undefined && { role }) },
  });
}
