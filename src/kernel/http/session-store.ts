import type { IncomingMessage } from 'node:http';
import { type CookieOptions, type SessionData, Store } from 'express-session';
import type { Ctx } from '../context.ts';
import { newSessionId, readSessionId, type SessionKind, sessionDigest } from './session-id.ts';
import {
  EMPTY_SESSION,
  isEmptySession,
  isNobodys,
  type KeptSession,
  type SessionContent,
  type SessionKeeper,
} from './session-keeper.ts';

declare module 'express-session' {
  interface SessionData {
    content?: SessionContent;
    found?: Found;
    /** A form was shown: its token belongs to this id, so the browser must get its cookie. */
    hasForm?: true;
  }
}

/** The row behind a session. It is no part of what the session holds, so it is not written as JSON. */
class Found {
  readonly kept: KeptSession;

  constructor(kept: KeptSession) {
    this.kept = kept;
  }

  toJSON(): undefined {
    return undefined;
  }
}

interface Served {
  readonly ctx: Ctx;
  nextKind: SessionKind;
  issued: string | null;
}

type Done<T = void> = (error?: unknown, result?: T | null) => void;

/**
 * Sessions of express-session over a keeper. A mere page view makes no row (reliability M15): a guest's signed id says
 * itself when it was issued.
 */
export class SessionStore extends Store {
  readonly #root: Ctx;
  readonly #keeper: SessionKeeper;
  readonly #cookie: CookieOptions;
  /** Requests that run, by what express-session knows them. */
  readonly #served = new WeakMap<IncomingMessage, Served>();
  /** What was written last of a session: express-session saves one with a new id twice. */
  readonly #written = new WeakMap<SessionData, SessionContent>();

  /** @param cookie its options, which express-session takes from here each time it finds a session */
  constructor(root: Ctx, keeper: SessionKeeper, cookie: CookieOptions) {
    super();
    this.#root = root;
    this.#keeper = keeper;
    this.#cookie = cookie;
  }

  /** Begins a request. @param ctx tells where it comes from */
  serve(req: IncomingMessage, ctx: Ctx): void {
    this.#served.set(req, { ctx, nextKind: 'guest', issued: null });
  }

  /** A new id for a request; `genid` of express-session. */
  issue(req: IncomingMessage): string {
    const served = this.#served.get(req);
    const id = newSessionId(served?.nextKind ?? 'guest', Date.parse(this.#root.now()));
    if (served) served.issued = id;
    return id;
  }

  /** Whether the id of a request was made in it: only such a one may get a row of somebody who signed in. */
  isIssued(req: IncomingMessage, id: string): boolean {
    return this.#served.get(req)?.issued === id;
  }

  /** Says of which kind the next id of a request is. */
  expect(req: IncomingMessage, nextKind: SessionKind): void {
    const served = this.#served.get(req);
    if (served) served.nextKind = nextKind;
  }

  override get(id: string, done: Done<SessionData>): void {
    this.#find(id).then((found) => done(null, found), done);
  }

  async #find(id: string): Promise<SessionData | null> {
    const facts = readSessionId(id);
    if (!facts) return null;
    const kept = await this.#keeper.find(this.#root, sessionDigest(id));
    // express-session makes the cookie of its next answer from this: a bare object would drop SameSite and Secure.
    const cookie = { ...this.#cookie } as SessionData['cookie'];
    if (kept) return { cookie, content: kept.content, found: new Found(kept) };
    const oldestMs = Date.parse(this.#root.now()) - this.#keeper.maxAgeSeconds(this.#root) * 1000;
    return facts.kind === 'guest' && facts.issuedMs > oldestMs ? { cookie } : null;
  }

  /**
   * A row is made only for an id of this request, and for a guest who is nobody: a slow request that ends after the
   * sign-out would write the session back otherwise.
   */
  override set(id: string, session: SessionData, done: Done = () => undefined): void {
    const { content = EMPTY_SESSION, found } = session;
    if (content === (this.#written.get(session) ?? found?.kept.content)) {
      done();
      return;
    }
    this.#write(id, session, content).then(() => {
      this.#written.set(session, content);
      done();
    }, done);
  }

  async #write(id: string, session: SessionData, content: SessionContent): Promise<void> {
    const digest = sessionDigest(id);
    if (session.found) return this.#keeper.update(this.#root, digest, content);
    const kind = readSessionId(id)?.kind;
    const { req } = session as { req?: IncomingMessage };
    const isOwn = req !== undefined && this.isIssued(req, id);
    if (kind === undefined || isEmptySession(content) || !(isOwn || isNobodys(content))) return;
    const ctx = (req && this.#served.get(req)?.ctx) ?? this.#root;
    await this.#keeper.insert(ctx, digest, kind, content);
  }

  override touch(id: string, { found }: SessionData, done: Done = () => undefined): void {
    if (found) this.#keeper.touch(this.#root, sessionDigest(id), found.kept.lastSeenAt);
    done();
  }

  override destroy(id: string, done: Done = () => undefined): void {
    this.#keeper.remove(this.#root, sessionDigest(id)).then(() => done(), done);
  }
}
