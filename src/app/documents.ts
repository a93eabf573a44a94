import { buildInfo } from '#kernel/build-info.ts';
import { describedApi } from '#kernel/http/openapi-words.ts';
import { surfacesOf } from './serve.ts';

/** An installation with everything that this version has. */
const WHOLE = {
  features: { license: true, store: true },
  mode: 'production',
  rateLimit: { enabled: true, store: 'memory' },
} as const;

/** The OpenAPI 3.0 document of a surface, as this version of the program serves it (cli 3.1). */
export function documentOf(name: 'licensing' | 'admin' | 'store'): object {
  const surface = surfacesOf(WHOLE).find((one) => one.name === name);
  if (!surface) throw new Error(`no surface is called ${name}`);
  return describedApi(surface, buildInfo().version, '/');
}
