/** Login tokens: what `appctl login` keeps, and `appctl logout` ends (licensing 4.2). */
import { SECONDS_PER_DAY } from '#kernel/clock.ts';
import { created, type Endpoint, endpoint, ok } from '#kernel/http/endpoint.ts';
import { fail } from '#kernel/service/errors.ts';
import * as accounts from '../accounts/index.ts';
import { ANY_STAFF, NoBody } from '../admin/index.ts';
import * as adminTokens from '../admin-tokens/index.ts';
import { requireRoom } from '../passwords/index.ts';
import { SignedOut, TokenBody, TokenMade } from './schemas.ts';
import { admitted, ownAccount, requireNothingOwed } from './sign-in.ts';

const path = '/api/v1/admin/auth/token';
const TTL_SECONDS = 30 * SECONDS_PER_DAY;

export const tokenEndpoints: readonly Endpoint[] = [
  endpoint({
    method: 'post',
    path,
    summary: "Create a login token for a program; for 30 days it has its user's permissions",
    scope: null,
    limit: accounts.signInTries,
    requireRoom: requireRoom,
    body: TokenBody,
    replies: { 201: TokenMade },
    errors: ['VALIDATION_ERROR', 'UNAUTHORIZED', 'INSUFFICIENT_SCOPE'],
    async handle(ctx, { body: { name = 'login', ...given } }) {
      const account = await admitted(ctx, given);
      const user = await ownAccount(ctx, account);
      requireNothingOwed(ctx, user);
      const options = { name, ttlSeconds: TTL_SECONDS };
      const { adminToken, secret } = await adminTokens.createLoginToken(ctx, account, options);
      return created({ id: adminToken.id, token: secret, expiresAt: adminToken.expiresAt, user });
    },
  }),
  endpoint({
    method: 'delete',
    path,
    summary: 'End the login token that sends the request',
    scope: ANY_STAFF,
    despite: ['owing'],
    limit: null,
    body: NoBody,
    bodyOptional: true,
    replies: { 200: SignedOut },
    errors: ['VALIDATION_ERROR'],
    async handle(ctx) {
      const { tokenId } = ctx.actor;
      if (tokenId === undefined)
        throw fail('INSUFFICIENT_SCOPE', 'Only a login token can end itself', {
          details: { reason: 'LOGIN_TOKEN_REQUIRED' },
        });
      await adminTokens.revoke(ctx, tokenId);
      return ok({ signedOut: true });
    },
  }),
];
