import type { AccessKeeper } from './access.ts';
import { isKeyFault } from './calls.ts';
import type { Core } from './core.ts';
import { ClientError, LicenseApiError } from './errors.ts';
import type { Offline } from './offline.ts';
import { isFlag, isText, maybe } from './shape.ts';
import type { ActivationRefused, ActivationResult } from './types.ts';
import { activationIn, licenseIn, present } from './verdict.ts';

/** With which the server speaks of the license; the others are about the API key, the request or the server. */
const REFUSALS = [400, 404, 429];
/** But this one is about the form of the request. */
const FORM_FAULT = 'VALIDATION_ERROR';

/**
 * Activates this machine. What the user can change is a result; what only the vendor or the network can is thrown.
 *
 * @throws ClientError without a usable answer; LicenseApiError for an API key or request that is refused, and 5xx
 */
export async function activate(
  { core, keeper, offline }: { core: Core; keeper: AccessKeeper; offline: Offline },
  signal?: AbortSignal,
): Promise<ActivationResult> {
  await core.ready();
  const { name: machineName, osName, osVersion } = core.settings.machine;
  const fields = { machineName, osName, osVersion, appVersion: core.settings.appVersion };
  try {
    const { body } = await core.calls.post('activate', 'licenseKey', fields, { signal });
    const versionAllowed = maybe(body, 'versionAllowed', isFlag);
    const result: ActivationResult = {
      activated: true,
      code: 'ACTIVATED',
      message: maybe(body, 'message', isText) ?? 'License activated',
      license: present(licenseIn(body), 'license'),
      activation: present(activationIn(body), 'activation'),
      ...(versionAllowed !== undefined && { versionAllowed }),
    };
    await offline.refreshAfterActivation();
    return result;
  } catch (error) {
    const refused = refusalIn(error);
    if (refused === null) throw error;
    return refused;
  } finally {
    keeper.outdate();
  }
}

function refusalIn(error: unknown): ActivationRefused | null {
  const nothing = { reason: null, details: {}, retryAfterSeconds: null, retryAt: null, requestId: null };
  if (error instanceof ClientError && isKeyFault(error))
    return { ...nothing, activated: false, code: error.code, message: error.message };
  if (!(error instanceof LicenseApiError)) return null;
  const { code, message, httpStatus, details, retryAfterSeconds, retryAt, requestId } = error;
  if (!REFUSALS.includes(httpStatus) || code === FORM_FAULT) return null;
  const reason = isText(details.reason) ? details.reason : null;
  return { activated: false, code, message, reason, details, retryAfterSeconds, retryAt, requestId };
}
