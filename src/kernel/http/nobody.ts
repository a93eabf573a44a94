import { GUEST } from '../actor.ts';
import { AppError } from '../errors.ts';
import { NO_DEVICE } from './device.ts';
import type { Session, Visitor } from './visitor.ts';
import type { Visitors } from './visitors.ts';
import { wantedLanguages } from './wanted-languages.ts';

/** Whoever looks at the pages of a program where nobody can sign in: nothing is known of anybody. */
export const nobody: Visitors = {
  visit: async ({ ctx, req }) => ({ ...guestOf(ctx.tenantId), languages: wantedLanguages(req) }),
  signInAddress: () => '/',
  owedAddress: () => '/',
};

const noSession: Session = {
  limitKey: null,
  key: null,
  id: null,
  pending: null,
  pendingCustomer: null,
  read: () => undefined,
  write: () => undefined,
  keepUntil: () => undefined,
  endForms: () => undefined,
  signIn: () => Promise.reject(unavailable()),
  signOut: async () => undefined,
};

const unavailable = (): AppError => new AppError('NOT_FOUND', 404, 'Nobody can sign in here');

const guestOf = (tenantId: string): Omit<Visitor, 'languages'> => ({
  actor: GUEST,
  customer: null,
  tenantId,
  session: noSession,
  device: NO_DEVICE,
  owes: null,
  isFromElsewhere: true,
  accepts: () => false,
  csrfToken: () => '',
  requireCsrf() {
    throw new AppError('AUTH_FORBIDDEN', 403, 'Forms are not accepted here', { details: { reason: 'CSRF' } });
  },
  settle: async () => undefined,
});
