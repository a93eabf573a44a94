/** Passwords that are chosen by a link, by the JSON of the store: no session is needed for them (storefront-api.md, Q). */
import { type Endpoint, endpoint, ok } from '#kernel/http/endpoint.ts';
import { fail } from '#kernel/service/errors.ts';
import * as accounts from '../../accounts/index.ts';
import { isMailSent } from '../../mail/index.ts';
import { requireRoom } from '../../passwords/index.ts';
import { ownAccount } from '../sign-in.ts';
import * as schemas from './schemas.ts';

const { data } = schemas;

const base = '/api/store/auth';

export const storeLinkEndpoints: readonly Endpoint[] = [
  endpoint({
    method: 'post',
    path: `${base}/forgot-password`,
    summary: 'Email a link to choose a new password, if the address has an account',
    description: 'The answer and its timing are the same for every address, even if no email is sent.',
    scope: null,
    limit: accounts.resetTries,
    body: schemas.Forgotten,
    replies: () => ({ 200: data(schemas.SentAlways) }),
    errors: ['VALIDATION_ERROR'],
    async handle(ctx, { body }) {
      if (await isMailSent(ctx)) await accounts.askForReset(ctx, body.email);
      return ok({ data: { sent: true } });
    },
  }),
  endpoint({
    method: 'post',
    path: `${base}/reset-password`,
    summary: 'Choose a new password with the emailed link; all sessions of the account end',
    scope: null,
    limit: accounts.linkTries,
    requireRoom,
    body: schemas.Reset,
    replies: () => ({ 200: data(schemas.PasswordReset) }),
    errors: ['VALIDATION_ERROR'],
    async handle(ctx, { body: { token, password } }) {
      if (!(await accounts.usePasswordLink(ctx, 'reset-password', token, { password }))) throw ended();
      return ok({ data: { reset: true } });
    },
  }),
  endpoint({
    method: 'post',
    path: `${base}/accept-invite`,
    summary: 'Accept an invitation with a name and a first password',
    scope: null,
    limit: accounts.linkTries,
    requireRoom,
    body: schemas.Invited,
    replies: () => ({ 200: data(schemas.Joined) }),
    errors: ['VALIDATION_ERROR'],
    async handle(ctx, { body: { token, ...given } }) {
      const joined = await accounts.usePasswordLink(ctx, 'invite', token, given);
      if (!joined) throw ended();
      const admin = await accounts.adminUserView(ctx, await ownAccount(ctx, joined));
      return ok({ data: { admin } });
    },
  }),
];

/** Of every link that opens nothing: whether it was ever one is not said. */
const ended = () =>
  fail('VALIDATION_ERROR', 'This link is no longer valid', { details: { reason: 'TOKEN_INVALID' } });
