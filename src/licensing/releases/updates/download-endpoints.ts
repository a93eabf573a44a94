import { z } from 'zod';
import { download, endpoint, noContent, ok } from '#kernel/http/endpoint.ts';
import { limits } from '#licensing/contract/limits.ts';
import { goesOn } from './continued.ts';
import { openDownload } from './download.ts';
import { byLicenseKey } from './endpoints.ts';
import { electronFeed, tauriFeed } from './feeds.ts';
import { DownloadQuery, ElectronParams, FileParams, TauriParams, TauriReply } from './schemas.ts';

/** How the bytes of a release are answered (D92). */
const bundle = {
  ...byLicenseKey,
  limit: limits.update_download,
  uncounted: goesOn,
  content: {
    type: 'application/octet-stream',
    headers: {
      'Content-Disposition': 'The name of the file',
      ETag: 'SHA-256 of the file in quotes, for If-Range and If-None-Match',
      'X-Bundle-SHA256': 'SHA-256 of the whole file, hex',
      'X-Bundle-Signature': 'Ed25519 signature over the 32 bytes of the SHA-256, base64',
      'X-Release-Statement': 'Signed statement about the release, when it has one',
      'X-Release-Statement-Signature': 'Ed25519 signature over the statement, base64',
    },
  },
  replies: {},
  errors: ['INVALID_LICENSE', 'NOT_FOUND', 'VALIDATION_ERROR'],
} as const;

const feed = { ...byLicenseKey, limit: limits.update_check } as const;

export const downloadEndpoints = [
  endpoint({
    method: 'get',
    path: '/api/v1/updates/download',
    summary: 'Download the bundle of a release',
    ...bundle,
    query: DownloadQuery,
    handle: async (ctx, { admitted, query, headers }) =>
      download(
        await openDownload(ctx, admitted, {
          releaseId: query.release_id,
          fromVersion: query.from_version ?? '',
          machineId: headers['x-machine-id'] ?? '',
          licenseKey: headers['x-license-key'],
        }),
      ),
  }),
  endpoint({
    method: 'get',
    path: '/api/v1/updates/feeds/files/{release_id}/{filename}',
    summary: 'Download the bundle of a release listed in a feed',
    ...bundle,
    params: FileParams,
    handle: async (ctx, { admitted, params, headers }) =>
      download(
        await openDownload(ctx, admitted, {
          releaseId: params.release_id,
          filename: params.filename,
          fromVersion: '',
          machineId: headers['x-machine-id'] ?? '',
          licenseKey: headers['x-license-key'],
        }),
      ),
  }),
  endpoint({
    method: 'get',
    path: '/api/v1/updates/feeds/tauri/{product}/{channel}/{target}/{arch}/{current_version}',
    summary: 'Check for an update (Tauri updater)',
    ...feed,
    params: TauriParams,
    replies: { 200: TauriReply, 204: z.null() },
    errors: ['INVALID_LICENSE', 'VALIDATION_ERROR'],
    handle: async (ctx, { admitted, params, headers }) => {
      const answer = await tauriFeed(ctx, admitted, params, headers['x-machine-id'] ?? '');
      return answer === null ? noContent() : ok(answer);
    },
  }),
  endpoint({
    method: 'get',
    path: '/api/v1/updates/feeds/electron/{product}/{channel}/{file}',
    summary: 'Get the newest version (electron-updater)',
    ...feed,
    params: ElectronParams,
    content: { type: 'text/yaml; charset=utf-8', headers: { ETag: 'Changes whenever the text does' } },
    replies: {},
    errors: ['INVALID_LICENSE', 'NOT_FOUND', 'VALIDATION_ERROR'],
    handle: async (ctx, { admitted, params, headers }) =>
      download(await electronFeed(ctx, admitted, params, headers['x-machine-id'] ?? '')),
  }),
];
