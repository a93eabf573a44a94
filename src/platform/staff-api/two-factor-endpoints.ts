/** The own second factor (licensing 4.2, M14). */
import { type Endpoint, endpoint, ok } from '#kernel/http/endpoint.ts';
import { invalidField } from '#kernel/service/errors.ts';
import * as accounts from '../accounts/index.ts';
import { ANY_STAFF, NoBody } from '../admin/index.ts';
import { personIn, requirePassword } from './person.ts';
import { CodeBody, PasswordBody, RecoveryCodes, TwoFactorBegun, TwoFactorOff } from './schemas.ts';

const base = '/api/v1/admin/me';

export const twoFactorEndpoints: readonly Endpoint[] = [
  endpoint({
    method: 'post',
    path: `${base}/two-factor`,
    summary: 'Start setting up an authenticator app; confirm with a code to finish',
    scope: ANY_STAFF,
    sudo: true,
    despite: ['owing'],
    limit: null,
    body: NoBody,
    bodyOptional: true,
    replies: { 200: TwoFactorBegun },
    errors: ['VALIDATION_ERROR', 'CONFLICT'],
    async handle(ctx) {
      const { secret, uri } = await accounts.setupTwoFactor(ctx, personIn(ctx));
      return ok({ secret, otpauthUrl: uri });
    },
  }),
  endpoint({
    method: 'post',
    path: `${base}/two-factor/confirm`,
    summary: 'Confirm the authenticator app with a code; the recovery codes are shown once',
    scope: ANY_STAFF,
    despite: ['owing'],
    limit: accounts.codeTries,
    body: CodeBody,
    replies: { 200: RecoveryCodes },
    errors: ['VALIDATION_ERROR', 'CONFLICT'],
    async handle(ctx, { body }) {
      const recoveryCodes = await accounts.confirmTwoFactor(ctx, personIn(ctx), body.code);
      if (!recoveryCodes) throw invalidField('code', 'is wrong: wait for the next one in your app');
      return ok({ recoveryCodes });
    },
  }),
  endpoint({
    method: 'delete',
    path: `${base}/two-factor`,
    summary: 'Turn off your two-factor sign-in',
    scope: ANY_STAFF,
    limit: accounts.passwordTries,
    body: PasswordBody,
    replies: { 200: TwoFactorOff },
    errors: ['VALIDATION_ERROR', 'CONFLICT'],
    async handle(ctx, { body }) {
      const account = personIn(ctx);
      await requirePassword(ctx, account, body.password);
      await accounts.disableTwoFactor(ctx, account);
      return ok({ enabled: false });
    },
  }),
  endpoint({
    method: 'post',
    path: `${base}/recovery-codes`,
    summary: 'Replace your recovery codes; the new ones are shown once',
    scope: ANY_STAFF,
    sudo: true,
    limit: null,
    body: NoBody,
    bodyOptional: true,
    replies: { 200: RecoveryCodes },
    errors: ['VALIDATION_ERROR', 'CONFLICT'],
    handle: async (ctx) => ok({ recoveryCodes: await accounts.renewRecoveryCodes(ctx, personIn(ctx)) }),
  }),
];
