import type { Ctx } from '#kernel/context.ts';
import { equalSecrets, newToken } from '#kernel/crypto.ts';
import { isUniqueViolation } from '#kernel/db/dialect.ts';
import { requireUnconfined } from '#kernel/service/confined.ts';
import { changesBetween } from '#kernel/service/diff.ts';
import { checkInput, sentFields } from '#kernel/service/input.ts';
import { requireUnchanged } from '#kernel/service/precondition.ts';
import { fail } from '#licensing/contract/errors.ts';
import { ids } from '#licensing/contract/ids.ts';
import type { Processor } from './choices.ts';
import { integrationEvents } from './events.ts';
import type { Integration, StoredProcessor } from './record.ts';
import * as repo from './repository.ts';
import {
  IntegrationCreate,
  type IntegrationCreateInput,
  IntegrationUpdate,
  type IntegrationUpdateInput,
} from './schemas.ts';
import { openSecret, overlapEnd, sealSecret, stillAccepted } from './secrets.ts';

/** How a change is made. */
export interface ChangeOptions {
  /** `updatedAt` of the state that the change was made on; PRECONDITION_FAILED when it is an older one. */
  ifMatch?: string | undefined;
  /** Why, for the timeline. */
  note?: string | null | undefined;
}

/** An integration and, when the secret was made here, the secret: it is told this once. */
export interface MadeIntegration {
  config: Integration;
  secret?: string;
}

const SECRET_PREFIX = 'ins_';

/**
 * Makes an integration for purchases of a payment processor (spec "Inbound webhook configuration"; D103 to D114).
 *
 * @param input `signingSecret` 16 to 255 printable characters, as the processor shows it; a generic processor gets
 *   one of ours when it is left out
 * @throws AppError VALIDATION_ERROR, also for a wallet processor; CONFLICT for a taken name
 */
export async function create(
  ctx: Ctx,
  input: IntegrationCreateInput,
  options: Pick<ChangeOptions, 'note'> = {},
): Promise<MadeIntegration> {
  requireUnconfined(ctx.actor, 'license_product');
  const checked = checkInput(IntegrationCreate, input);
  refuseNotificationUrl(checked.processor, checked.notificationUrl);
  const { secret, isOurs } = secretFor(checked);
  return ctx.tx(async (ctx) => {
    const taken = await repo.lockNames(ctx);
    const name = checked.name ?? freeName(checked.processor, taken);
    if (taken.has(name)) throw nameTaken(name);
    const [id, now] = [ctx.newId(ids.integration), ctx.now()];
    const stored: repo.StoredIntegration = {
      id,
      tenantId: ctx.tenantId,
      name,
      processor: checked.processor,
      secretEnc: sealSecret(ctx, id, secret),
      previousSecretEnc: null,
      previousUntil: null,
      notificationUrl: checked.notificationUrl ?? null,
      enabled: checked.enabled ?? true,
      lastEventAt: null,
      createdAt: now,
      updatedAt: now,
    };
    await storing(name, repo.insert(ctx, stored));
    const told = { ...toldOf(stored, options), enabled: stored.enabled };
    await integrationEvents.tell(ctx, 'INBOUND_CONFIG_CREATED', id, told, {
      after: stored,
      note: options.note,
    });
    if (isOurs) ctx.origin.keepSecret?.(secret);
    return { config: shown(ctx, stored), ...(isOurs && { secret }) };
  });
}

/** @throws AppError NOT_FOUND for an unknown, deleted or another tenant's integration */
export const get = async (ctx: Ctx, idOrName: string): Promise<Integration> =>
  shown(ctx, (await repo.find(ctx, idOrName)) ?? missing(idOrName));

/**
 * Changes an integration; what is not sent stays. A replaced secret stays valid for 24 h, and of two that replace it
 * at once one is refused, because otherwise the secret that the processor still signs with would be dropped (M12).
 *
 * @throws AppError NOT_FOUND; VALIDATION_ERROR; PRECONDITION_FAILED; CONFLICT for a taken name, or a secret that was
 *   changed meanwhile
 */
export async function update(
  ctx: Ctx,
  idOrName: string,
  input: IntegrationUpdateInput,
  options: ChangeOptions = {},
): Promise<MadeIntegration> {
  const { signingSecret, generateSecret, ...fields } = sentFields(checkInput(IntegrationUpdate, input));
  const secret = generateSecret ? newToken(SECRET_PREFIX) : signingSecret;
  const seen = secret === undefined ? null : ((await repo.find(ctx, idOrName)) ?? missing(idOrName));
  return ctx.tx(async (ctx) => {
    const before = (await repo.lock(ctx, idOrName)) ?? missing(idOrName);
    // It sells other products, too, or may.
    requireUnconfined(ctx.actor, 'license_product');
    requireUnchanged(before.id, before.updatedAt, options.ifMatch);
    if (seen && seen.secretEnc !== before.secretEnc) throw secretChanged(before);
    const merged: repo.StoredIntegration = { ...before, ...fields };
    refuseNotificationUrl(merged.processor, fields.notificationUrl);
    const secrets = secret === undefined ? {} : replacedSecret(ctx, before, secret);
    const diff = changesBetween(before, merged);
    const isReplaced = 'secretEnc' in secrets;
    if (Object.keys(diff).length === 0 && !isReplaced) return { config: shown(ctx, before) };
    const after: repo.StoredIntegration = { ...merged, ...secrets, updatedAt: ctx.now() };
    await storing(after.name, repo.update(ctx, after));
    const { enabled, previousUntil } = after;
    const facts = { ...toldOf(after, options), enabled, secretReplaced: isReplaced, previousUntil };
    await integrationEvents.tell(ctx, 'INBOUND_CONFIG_UPDATED', after.id, facts, {
      before,
      after,
      note: options.note,
    });
    if (generateSecret && secret !== undefined) ctx.origin.keepSecret?.(secret);
    return { config: shown(ctx, after), ...(generateSecret && secret !== undefined && { secret }) };
  });
}

/**
 * Deletes an integration and its mappings; its events stay. From then on its URL is unknown.
 *
 * @returns the integration as it was
 * @throws AppError NOT_FOUND, PRECONDITION_FAILED
 */
export async function remove(ctx: Ctx, idOrName: string, options: ChangeOptions = {}): Promise<Integration> {
  return ctx.tx(async (ctx) => {
    const before = (await repo.lock(ctx, idOrName)) ?? missing(idOrName);
    // It sells other products, too, or may.
    requireUnconfined(ctx.actor, 'license_product');
    requireUnchanged(before.id, before.updatedAt, options.ifMatch);
    await repo.remove(ctx, before.id);
    await integrationEvents.tell(ctx, 'INBOUND_CONFIG_DELETED', before.id, toldOf(before, options), {
      before,
      note: options.note,
    });
    return shown(ctx, before);
  });
}

/** The secret of a new integration, and whether it was made here. */
function secretFor({ processor, signingSecret, generateSecret }: IntegrationCreateInput): {
  secret: string;
  isOurs: boolean;
} {
  if (signingSecret !== undefined) return { secret: signingSecret, isOurs: false };
  if (processor === 'GENERIC' || generateSecret) return { secret: newToken(SECRET_PREFIX), isOurs: true };
  const message = `is required: ${processor} shows it where you set up the webhook`;
  throw fail('VALIDATION_ERROR', `signingSecret ${message}`, {
    details: { issues: [{ path: 'signingSecret', rule: 'required', message }] },
  });
}

/** What is written for a new secret; nothing when it is the one that holds already. */
function replacedSecret(
  ctx: Ctx,
  { id, secretEnc }: repo.StoredIntegration,
  secret: string,
): Pick<repo.StoredIntegration, 'secretEnc' | 'previousSecretEnc' | 'previousUntil'> | object {
  const current = openSecret(ctx, id, secretEnc);
  if (equalSecrets(current, secret)) return {};
  return {
    secretEnc: sealSecret(ctx, id, secret),
    previousSecretEnc: sealSecret(ctx, id, current, 'previous'),
    previousUntil: overlapEnd(ctx.now()),
  };
}

function refuseNotificationUrl(processor: StoredProcessor, url: string | null | undefined): void {
  if (processor === 'SQUARE' || url === undefined || url === null) return;
  const message = `is for SQUARE only: ${processor} does not sign the URL`;
  throw fail('VALIDATION_ERROR', `notificationUrl ${message}`, {
    details: { issues: [{ path: 'notificationUrl', rule: 'processor', message }] },
  });
}

/** `stripe`, then `stripe-2`: the first that is free. */
function freeName(processor: Processor, taken: ReadonlySet<string>): string {
  const base = processor.toLowerCase();
  let name = base;
  for (let n = 2; taken.has(name); n++) name = `${base}-${n}`;
  return name;
}

/** The index decides whether a name is free, so that two at once cannot both find it so. */
async function storing(name: string, written: Promise<void>): Promise<void> {
  try {
    await written;
  } catch (error) {
    throw isUniqueViolation(error) ? nameTaken(name) : error;
  }
}

const nameTaken = (name: string) =>
  fail('CONFLICT', `name ${name} is taken by another integration`, {
    details: { reason: 'DUPLICATE', hint: 'appctl integration list' },
  });

const secretChanged = ({ id, name }: Integration) =>
  fail('CONFLICT', `the secret of ${name} was changed by someone else in the meantime`, {
    details: { reason: 'STALE_VERSION', hint: `appctl integration show ${id}` },
  });

/** What staff sees. */
const shown = (ctx: Ctx, { secretEnc, previousSecretEnc, ...config }: repo.StoredIntegration): Integration =>
  stillAccepted(ctx, config);

const toldOf = ({ name, processor }: Integration, { note }: ChangeOptions) => ({
  name,
  processor,
  ...(note && { note }),
});

function missing(idOrName: string): never {
  throw fail('NOT_FOUND', `integration ${idOrName} was not found`, {
    details: { hint: 'appctl integration list' },
  });
}
