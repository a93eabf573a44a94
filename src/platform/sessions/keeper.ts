import { type Actor, GUEST } from '#kernel/actor.ts';
import { isoTime } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';
import { readFlag, readJson } from '#kernel/db/columns.ts';
import type {
  KeptSession,
  Owed,
  SessionContent,
  SessionKeeper,
  SignedInCustomer,
} from '#kernel/http/session-keeper.ts';
import { type HeldRow, heldOf, reachOf } from '../roles/index.ts';
import { endsAt, hasEnded, maxAgeSeconds, waitedTooLong } from './lifetime.ts';
import { owedBy } from './owed.ts';
import { ids } from './record.ts';
import * as repo from './repository.ts';
import { seenThrough, viewedIn } from './view-as.ts';

const TOUCH_EVERY_MS = 60_000;
/** Of what a browser says of itself, as much as a list of sessions shows. */
const USER_AGENT_LENGTH = 300;

/** Keeps the sessions of browsers in the table `sessions`. */
export const sessionKeeper: SessionKeeper = {
  async find(ctx, digest) {
    const row = await repo.find(ctx, digest);
    if (!row) return null;
    const { kind, created_at: createdAt, last_seen_at: lastSeenAt, kept_until: keptUntil } = row;
    const isRemembered = readFlag(row.is_remembered);
    const lasting = { kind, isRemembered, keptUntil, createdAt, lastSeenAt };
    if (hasEnded(lasting, endsAt(ctx)) || isRevoked(row)) return null;
    if (readFlag(row.two_factor_pending) && waitedTooLong(ctx, { createdAt })) return null;
    const customer = customerOf(ctx, row);
    // Of somebody who signed in, and is nobody any more.
    if (kind === 'user' && row.admin_user_id === null && customer === null) return null;
    return seen(ctx, toSession(ctx, row, customer));
  },
  insert: (ctx, digest, kind, content) =>
    ctx.tx((ctx) => {
      const now = ctx.now();
      const { ip, userAgent } = ctx.origin;
      return repo.insert(
        ctx,
        {
          id: ctx.newId(ids.session),
          kind,
          ...partOf(content),
          cartId: null,
          ip,
          userAgent: userAgent?.slice(0, USER_AGENT_LENGTH) ?? null,
          lastSeenAt: now,
          createdAt: now,
        },
        digest,
      );
    }),
  update: (ctx, digest, content) => ctx.tx((ctx) => repo.update(ctx, digest, partOf(content))),
  remove: (ctx, digest) => ctx.tx((ctx) => repo.remove(ctx, digest)),
  touch: (ctx, digest, lastSeenAt) => {
    const now = ctx.now();
    const before = isoTime(Date.parse(now) - TOUCH_EVERY_MS);
    if (lastSeenAt > before) return;
    ctx
      .tx((ctx) => repo.touch(ctx, { digest, now, before }))
      .catch((error: unknown) => ctx.log.warn({ err: error }, 'that a browser was here was not noted'));
  },
  maxAgeSeconds,
};

/** An account that is disabled, or has ended its sessions, opens nothing from the next request on. */
const isRevoked = ({
  admin_user_id,
  status,
  admin_generation,
  session_generation,
}: repo.SessionRow): boolean =>
  admin_user_id !== null && (status !== 'active' || admin_generation !== session_generation);

/** The customer of a session: nobody once the account is disabled, or has ended its sessions. */
function customerOf(ctx: Ctx, row: repo.SessionRow): SignedInCustomer | null {
  const { customer_id: id, customer_generation: generation, created_at: createdAt } = row;
  if (id === null || generation === null) return null;
  if (row.customer_status !== 'active' || row.customer_now !== generation) return null;
  const isPending = readFlag(row.customer_pending);
  if (isPending && waitedTooLong(ctx, { createdAt })) return null;
  return { id, generation, isPending, isRemembered: readFlag(row.is_remembered) };
}

/** As whom the account of a session looks, where it does: one more statement for those few. */
async function seen(ctx: Ctx, kept: KeptSession): Promise<KeptSession> {
  const { actor, content } = kept;
  const id = actor.kind === 'staff' && actor.id !== null ? viewedIn(content.data, actor.id) : null;
  const row = id === null ? undefined : await repo.findViewed(ctx, id);
  return row ? { ...kept, actor: seenThrough(actor, staffActor(row.id, row.email, row)) } : kept;
}

function toSession(ctx: Ctx, row: repo.SessionRow, signedIn: SignedInCustomer | null): KeptSession {
  const { admin_user_id: id, admin_generation: generation } = row;
  const isSecondFactorPending = readFlag(row.two_factor_pending);
  const content: SessionContent = {
    staff: id === null || generation === null ? null : { id, generation },
    customer: signedIn,
    isSecondFactorPending,
    keptUntil: row.kept_until,
    data: readJson(row.data),
  };
  const owes = isSecondFactorPending ? null : owedIn(ctx, row);
  const customer = signedIn && !signedIn.isPending ? customerActor(signedIn.id) : null;
  const { admin_user_id: staffId, email } = row;
  const isStaff = staffId !== null && !isSecondFactorPending;
  const actor = isStaff ? staffActor(staffId, email, row) : (customer ?? GUEST);
  return {
    id: row.id,
    content,
    owes,
    actor: owes === null ? actor : { ...actor, permissions: [] },
    customer,
    lastSeenAt: row.last_seen_at,
  };
}

function owedIn(ctx: Ctx, row: repo.SessionRow): Owed | null {
  if (row.admin_user_id === null) return null;
  return owedBy(ctx, {
    mustChangePassword: readFlag(row.must_change_password),
    hasSecondFactor: row.second_factor_since !== null,
  });
}

/** Without a name: what an erasure takes away stands in no log. */
const customerActor = (id: string): Actor => ({ kind: 'customer', id, label: null });

const staffActor = (id: string, label: string | null, row: HeldRow): Actor => ({
  kind: 'staff',
  id,
  label,
  ...reachOf(heldOf(row)),
});

const partOf = ({
  staff,
  customer,
  isSecondFactorPending,
  keptUntil,
  data,
}: SessionContent): repo.SessionPart => ({
  adminUserId: staff?.id ?? null,
  adminGeneration: staff?.generation ?? null,
  customerId: customer?.id ?? null,
  customerGeneration: customer?.generation ?? null,
  customerPending: customer?.isPending ?? false,
  isRemembered: customer?.isRemembered ?? false,
  twoFactorPending: isSecondFactorPending,
  keptUntil,
  data,
});
