/** The own second factor by the JSON of the store; each change of it asks for the password in its body (storefront-api.md, Q). */
import { type Endpoint, endpoint, ok } from '#kernel/http/endpoint.ts';
import { invalidField } from '#kernel/service/errors.ts';
import * as accounts from '../../accounts/index.ts';
import { qrSvg } from '../../second-factor/index.ts';
import { OWN_ACCOUNT, personIn, requirePassword } from '../person.ts';
import * as schemas from './schemas.ts';

const { data } = schemas;

const base = '/api/store/auth/2fa';

export const storeTwoFactorEndpoints: readonly Endpoint[] = [
  endpoint({
    method: 'post',
    path: `${base}/setup`,
    summary: 'Start setting up an authenticator app; confirm with a code to finish',
    scope: OWN_ACCOUNT,
    despite: ['owing'],
    limit: accounts.passwordTries,
    body: schemas.Password,
    replies: () => ({ 200: data(schemas.TwoFactorBegun) }),
    errors: ['VALIDATION_ERROR'],
    async handle(ctx, { body }) {
      const account = personIn(ctx);
      await requirePassword(ctx, account, body.password);
      const { secret, uri } = await accounts.setupTwoFactor(ctx, account);
      return ok({ data: { secret, otpauth_url: uri, qr_svg: await qrSvg(uri) } });
    },
  }),
  endpoint({
    method: 'post',
    path: `${base}/enable`,
    summary: 'Confirm the authenticator app with a code; the recovery codes are shown once',
    scope: OWN_ACCOUNT,
    despite: ['owing'],
    limit: accounts.codeTries,
    body: schemas.Code,
    replies: () => ({ 200: data(schemas.RecoveryCodes) }),
    errors: ['VALIDATION_ERROR'],
    async handle(ctx, { body }) {
      const codes = await accounts.confirmTwoFactor(ctx, personIn(ctx), body.code);
      if (!codes) throw invalidField('code', 'is wrong: wait for the next one in your app');
      return ok({ data: { recovery_codes: codes } });
    },
  }),
  endpoint({
    method: 'post',
    path: `${base}/disable`,
    summary: 'Turn off your two-factor sign-in, unless it is required for all staff',
    scope: OWN_ACCOUNT,
    limit: accounts.passwordTries,
    body: schemas.PasswordAndCode,
    replies: () => ({ 200: data(schemas.TwoFactorOff) }),
    errors: ['VALIDATION_ERROR'],
    async handle(ctx, { body }) {
      const account = personIn(ctx);
      await requirePassword(ctx, account, body.password);
      await accounts.disableTwoFactorBy(ctx, account, body.code);
      return ok({ data: { enabled: false } });
    },
  }),
  endpoint({
    method: 'post',
    path: `${base}/recovery-codes`,
    summary: 'Replace your recovery codes; the new ones are shown once',
    scope: OWN_ACCOUNT,
    limit: accounts.passwordTries,
    body: schemas.Password,
    replies: () => ({ 200: data(schemas.RecoveryCodes) }),
    errors: ['VALIDATION_ERROR'],
    async handle(ctx, { body }) {
      const account = personIn(ctx);
      await requirePassword(ctx, account, body.password);
      return ok({ data: { recovery_codes: await accounts.renewRecoveryCodes(ctx, account) } });
    },
  }),
];
