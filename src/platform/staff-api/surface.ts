import type { Gathered } from '#kernel/gather.ts';
import type { Surface } from '#kernel/http/surface.ts';
import { answers } from '#kernel/service/answers.ts';
import { fail } from '#kernel/service/errors.ts';
import { limitsInForce, type ServiceLimits } from '#kernel/service/limits-in-force.ts';
import { authenticate } from './authenticate.ts';
import { authorize, requireProof } from './authorize.ts';
import { adminContract, type ErrorTable } from './contract.ts';

const BODY_BYTES = 512 * 1024;

/**
 * The admin API: bearer tokens and the sessions of the panel, permissions by role, the envelope of the license API
 * (licensing 4.1). Requests with an Authorization header never read a cookie (admin.md 7).
 *
 * @param gathered of all capabilities; the scope of each endpoint is the permission that it asks for
 * @param services the codes and the limits of the services that stand on it
 * @param switchedOff `APPCTL_RATE_LIMIT=off`: guessed tokens are not counted
 */
export function adminSurface(
  gathered: Pick<Gathered, 'adminEndpoints' | 'answered' | 'resources'>,
  services: { errors: ErrorTable; limits: ServiceLimits },
  switchedOff: boolean,
): Surface {
  return {
    name: 'admin',
    service: 'license',
    title: 'License admin API',
    contract: adminContract(services.errors, tagsOf(gathered.resources)),
    prefixes: ['/api/v1/admin'],
    bodyBytes: BODY_BYTES,
    endpoints: gathered.adminEndpoints,
    challenge: 'Bearer',
    // What else a surface gives says nothing of what it takes as a bearer.
    authenticate: (ctx, request) => authenticate(ctx, request),
    authorize,
    requireProof,
    sessions: {
      signedOut: (message) => fail('UNAUTHORIZED', message),
      foreign: (message) => fail('CSRF_FAILED', message),
    },
    rehearses: true,
    ...limitsInForce(services.limits, switchedOff),
    ...answers,
    answered: gathered.answered,
  };
}

const tagsOf = (resources: Gathered['resources']): Record<string, string> =>
  Object.assign({}, ...resources.map((one) => one.tags('license-admin')));
