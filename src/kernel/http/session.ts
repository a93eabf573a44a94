import type { Request, Response } from 'express';
import expressSession, { type CookieOptions } from 'express-session';
import type { Ctx } from '../context.ts';
import type { Exchange } from './exchange.ts';
import {
  EMPTY_SESSION,
  isNobodys,
  type KeptSession,
  type SessionContent,
  type SessionKeeper,
} from './session-keeper.ts';
import { SessionStore } from './session-store.ts';
import type { Contract } from './surface.ts';

/** The name is part of the storefront's specification. */
export const SESSION_COOKIE = 'cart_session';

/** How documents describe the session of a browser: its cookie, and the token that a write needs beside it. */
export const sessionSchemes: NonNullable<Contract['session']> = {
  cookie: {
    name: 'session',
    scheme: {
      type: 'apiKey',
      in: 'cookie',
      name: SESSION_COOKIE,
      description: 'The session of a browser that signed in',
    },
  },
  token: {
    name: 'csrfToken',
    scheme: {
      type: 'apiKey',
      in: 'header',
      name: 'X-CSRF-Token',
      description: 'The token of the session, required for each write with it',
    },
  },
};

/** The session of one request. */
export interface BrowserSession {
  /** What the cookie carries: a secret. It changes with `renew`. */
  readonly id: string;
  /** As the database has it; null for one without a row. */
  readonly kept: KeptSession | null;
  readonly content: SessionContent;
  /** The browser gets its cookie with this answer, though there is nothing to keep: what it sends next belongs to it. */
  offer(): void;
  /** Keeps other content from now on; `save` writes it. */
  change(content: SessionContent): void;
  /** Ends the session and begins another one with a new id. */
  renew(content: SessionContent): Promise<void>;
  /** Writes what was changed. */
  save(): Promise<void>;
}

/** Opens the session of a request, or begins one. It writes nothing. */
export type OpenSession = (exchange: Pick<Exchange, 'req' | 'res' | 'ctx'>) => Promise<BrowserSession>;

/**
 * Sessions of browsers by express-session (reliability M15).
 *
 * @param root acts for the program, not for a visitor
 * @param isHttps the world reaches the installation by https only, so that the cookie is sent over nothing else
 */
export function createSessions(root: Ctx, keeper: SessionKeeper, isHttps: boolean): OpenSession {
  const cookie: CookieOptions = { httpOnly: true, sameSite: 'lax', path: '/', secure: isHttps };
  const store = new SessionStore(root, keeper, cookie);
  const open = expressSession({
    name: SESSION_COOKIE,
    // Derived, so that the sub-key itself stays where it is.
    secret: root.keyring.digest('cookie', SESSION_COOKIE),
    genid: (req) => store.issue(req),
    store,
    cookie,
    resave: false,
    rolling: false,
    saveUninitialized: false,
  });
  return async ({ req, res, ctx }) => {
    const request = req as Request;
    store.serve(request, ctx);
    await new Promise<void>((resolve, reject) => {
      void open(request, res as Response, (error?: unknown) => (error ? reject(error) : resolve()));
    });
    return sessionOf(request, store, {
      now: () => root.now(),
      maxAgeSeconds: () => keeper.maxAgeSeconds(root),
    });
  };
}

/** Reads `req.session` each time: `renew` puts another one there. */
function sessionOf(
  req: Request,
  store: SessionStore,
  { now, maxAgeSeconds }: { now: () => string; maxAgeSeconds: () => number },
): BrowserSession {
  const change = (content: SessionContent): void => {
    const { keptUntil } = content;
    // A browser forgets other cookies when it is closed. It counts from its own clock, which may be another one.
    if (keptUntil !== null && keptUntil !== req.session.content?.keptUntil)
      req.session.cookie.maxAge = Date.parse(keptUntil) - Date.parse(now());
    req.session.content = content;
  };
  const save = (): Promise<void> => settled((done) => req.session.save(done));
  return {
    get id() {
      return req.sessionID;
    },
    get kept() {
      return req.session.found?.kept ?? null;
    },
    get content() {
      return req.session.content ?? EMPTY_SESSION;
    },
    offer() {
      if (store.isIssued(req, req.sessionID)) req.session.hasForm = true;
    },
    change,
    async renew(content) {
      store.expect(req, isNobodys(content) ? 'guest' : 'user');
      await settled((done) => req.session.regenerate(done));
      if (content.customer?.isRemembered) req.session.cookie.maxAge = maxAgeSeconds() * 1000;
      change(content);
      await save();
    },
    save,
  };
}

const settled = (run: (done: (error?: unknown) => void) => void): Promise<void> =>
  new Promise((resolve, reject) => run((error) => (error ? reject(error) : resolve())));
