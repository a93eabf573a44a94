import type { Request } from 'express';
import { GUEST } from '../actor.ts';
import type { Ctx } from '../context.ts';
import { AppError } from '../errors.ts';
import { type CsrfTokens, createCsrfTokens, csrfRefused, isFromElsewhere } from './csrf.ts';
import { deviceOf, NO_DEVICE } from './device.ts';
import type { Exchange } from './exchange.ts';
import { type BrowserSession, createSessions } from './session.ts';
import { sessionDigest } from './session-id.ts';
import {
  EMPTY_SESSION,
  isNobodys,
  type Owed,
  type SessionContent,
  type SessionKeeper,
} from './session-keeper.ts';
import type { Audience, Session, SignedIn, Visitor } from './visitor.ts';
import { wantedLanguages } from './wanted-languages.ts';

/** Knows visitors by the cookie of their session. */
export interface Visitors {
  /**
   * Who sent a request; a guest when nobody signed in. A request with an Authorization header never reads the cookie.
   * It writes nothing: a guest who only looks has no row.
   */
  visit(exchange: Exchange): Promise<Visitor>;
  /**
   * The page on which the audience of a page signs in.
   *
   * @param returnTo path and query to which it leads back; null for the audience's first page
   */
  signInAddress(audience: Audience, returnTo: string | null): string;
  /** The page on which staff does what it owes. @param returnTo as for `signInAddress` */
  owedAddress(owed: Owed, returnTo: string | null): string;
}

export interface VisitorParts {
  /** Acts for the program. */
  readonly root: Ctx;
  readonly keeper: SessionKeeper;
  /** The world reaches the installation by https only. */
  readonly isHttps: boolean;
  /** Path of the page on which an audience signs in; `returnTo` is where it leads back. */
  signInPath(audience: Audience, returnTo: string | null): string;
  /** Path of the page on which staff does what it owes. */
  owedPath(owed: Owed): string;
}

/** Visitors by the session of their browser (reliability M15, M16). */
export function createVisitors({ root, keeper, isHttps, signInPath, owedPath }: VisitorParts): Visitors {
  const open = createSessions(root, keeper, isHttps);
  const tokens = createCsrfTokens(root.keyring);
  return {
    async visit(exchange) {
      if (exchange.req.headers.authorization !== undefined) return stranger(exchange, root);
      return visitorOf(exchange, await open(exchange), tokens, { root, isHttps });
    },
    signInAddress: (audience, returnTo) => leadingBack(signInPath(audience, returnTo), returnTo),
    owedAddress: (owed, returnTo) => leadingBack(owedPath(owed), returnTo),
  };
}

/** The address of a page that leads to another one when it is done. */
export const leadingBack = (path: string, returnTo: string | null): string =>
  returnTo === null ? path : `${path}?next=${encodeURIComponent(returnTo)}`;

type Shared = Pick<VisitorParts, 'root' | 'isHttps'>;

function visitorOf(exchange: Exchange, session: BrowserSession, tokens: CsrfTokens, shared: Shared): Visitor {
  let isChanged = false;
  const isElsewhere = isFromElsewhere(exchange.req, exchange.ctx.baseUrl);
  const accepts = (token: string | undefined): boolean => tokens.accepts(formsOf(session), token);
  const change = (content: SessionContent): void => {
    session.change(content);
    isChanged = true;
  };
  return {
    actor: session.kept?.actor ?? GUEST,
    customer: session.kept?.customer ?? null,
    tenantId: shared.root.tenantId,
    languages: wantedLanguages(exchange.req),
    session: handleOf(session, change, () => exchange.ctx.newId('frm')),
    device: deviceOf(exchange, shared.isHttps),
    owes: session.kept?.owes ?? null,
    isFromElsewhere: isElsewhere,
    accepts,
    csrfToken() {
      session.offer();
      return tokens.tokenOf(formsOf(session));
    },
    requireCsrf(presented) {
      if (!accepts(presented) || isElsewhere) throw csrfRefused(cureOf(exchange, shared));
    },
    async settle() {
      if (isChanged) await session.save();
      isChanged = false;
    },
  };
}

/** Under which a session keeps what its forms are told apart by from those before. */
const FORMS = 'forms';

/** What the tokens of forms belong to: the session, since `endForms` was last called. */
const formsOf = ({ id, content }: BrowserSession): string => `${id}${content.data[FORMS] ?? ''}`;

/** What capabilities may do with a session. */
function handleOf(
  session: BrowserSession,
  change: (content: SessionContent) => void,
  newId: () => string,
): Session {
  const write = (name: string, value: unknown): void => {
    const { [name]: _before, ...others } = session.content.data;
    change({ ...session.content, data: value === undefined ? others : { ...others, [name]: value } });
  };
  return {
    get limitKey() {
      return session.kept ? sessionDigest(session.id) : null;
    },
    get key() {
      return sessionDigest(session.id);
    },
    id: session.kept?.id ?? null,
    pending: session.content.isSecondFactorPending ? session.content.staff : null,
    pendingCustomer: session.content.customer?.isPending ? session.content.customer : null,
    read: (name) => (Object.hasOwn(session.content.data, name) ? session.content.data[name] : undefined),
    write,
    keepUntil(time) {
      if (isNobodys(session.content)) change({ ...session.content, keptUntil: time });
    },
    endForms: () => write(FORMS, newId()),
    signIn: (who) => session.renew(signedIn(session.content, who)),
    signOut: () => session.renew(EMPTY_SESSION),
  };
}

/** One session may hold a customer and staff; each signs in for itself. */
function signedIn(before: SessionContent, who: SignedIn): SessionContent {
  const { kind, id, generation, isSecondFactorPending = false, isRemembered = false } = who;
  const own = { ...before, keptUntil: null };
  return kind === 'staff'
    ? { ...own, staff: { id, generation }, isSecondFactorPending }
    : { ...own, customer: { id, generation, isPending: isSecondFactorPending, isRemembered } };
}

function cureOf({ req, ctx }: Exchange, { isHttps }: Shared): string {
  if (isHttps && !(req as Request).secure)
    return `Open ${ctx.baseUrl} and try again: over plain http, browsers do not store the sign-in cookie. If you did, list the proxy in front in APPCTL_TRUST_PROXY and let it send X-Forwarded-Proto: https.`;
  return 'Reload the page and send the form again: it may have been open for too long, or was opened before you signed in. Your browser must accept cookies from this site.';
}

/**
 * Who sent a request with an Authorization header: its cookie is not read, so that a wrong credential never falls back
 * to it (M15).
 */
function stranger({ req }: Exchange, { tenantId }: Ctx): Visitor {
  return {
    actor: GUEST,
    customer: null,
    tenantId,
    languages: wantedLanguages(req),
    session: {
      ...NO_SESSION,
      write: refuse,
      keepUntil: refuse,
      endForms: refuse,
      signIn: refuse,
      signOut: refuse,
    },
    device: NO_DEVICE,
    owes: null,
    isFromElsewhere: true,
    accepts: () => false,
    csrfToken: () => '',
    requireCsrf: refuse,
    settle: async () => undefined,
  };
}

const NOBODY_PENDING = { pending: null, pendingCustomer: null };
const NO_SESSION = { limitKey: null, key: null, id: null, ...NOBODY_PENDING, read: () => undefined };
/** Why a page refuses a request whose cookie is not read. */
export const NO_HEADER =
  'This page does not accept an Authorization header. If a proxy in front adds one, remove it there.';

function refuse(): never {
  throw new AppError('AUTH_UNAUTHORIZED', 401, NO_HEADER);
}
