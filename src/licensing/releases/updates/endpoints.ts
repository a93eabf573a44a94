import { endpoint, ok } from '#kernel/http/endpoint.ts';
import { limits } from '#licensing/contract/limits.ts';
import { admit } from './access.ts';
import { check } from './check.ts';
import { manifest } from './manifest.ts';
import { publicKey } from './public-key.ts';
import {
  CheckQuery,
  CheckReply,
  HostHeaders,
  MachineHeaders,
  ManifestQuery,
  ManifestReply,
  PublicKeyQuery,
  PublicKeyReply,
} from './schemas.ts';

/** How every endpoint is opened that a license key opens (D3, D100). */
export const byLicenseKey = { scope: null, guarded: true, admit, headers: MachineHeaders } as const;

export const updateEndpoints = [
  endpoint({
    method: 'get',
    path: '/api/v1/updates/check',
    summary: 'Check for an update',
    ...byLicenseKey,
    limit: limits.update_check,
    query: CheckQuery,
    replies: { 200: CheckReply },
    errors: ['INVALID_LICENSE', 'VALIDATION_ERROR'],
    handle: async (ctx, { admitted, query, headers }) =>
      ok(
        await check(ctx, admitted, query, {
          licenseKey: headers['x-license-key'],
          machineId: query.machine_id ?? headers['x-machine-id'] ?? '',
        }),
      ),
  }),
  endpoint({
    method: 'get',
    path: '/api/v1/updates/manifest',
    summary: 'Describe a release',
    ...byLicenseKey,
    limit: limits.update_check,
    query: ManifestQuery,
    replies: { 200: ManifestReply },
    errors: ['INVALID_LICENSE', 'NOT_FOUND', 'VALIDATION_ERROR'],
    handle: async (ctx, { admitted, query, headers }) =>
      ok(await manifest(ctx, admitted, query, headers['x-machine-id'] ?? '')),
  }),
  endpoint({
    method: 'get',
    path: '/api/v1/updates/public-key',
    summary: "Get the keys that verify a product's releases",
    scope: null,
    limit: limits.public_key,
    query: PublicKeyQuery,
    headers: HostHeaders,
    replies: { 200: PublicKeyReply },
    errors: ['NOT_FOUND', 'VALIDATION_ERROR'],
    handle: async (ctx, { query, headers }) => ok(await publicKey(ctx, query, headers.host)),
  }),
];
