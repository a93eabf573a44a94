/** What is done to a release after its draft was made, for staff (licensing 4.2, Releases). */
import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { type Endpoint, endpoint, ok } from '#kernel/http/endpoint.ts';
import { flag, optional, text } from '#kernel/http/fields.ts';
import { IfMatchHeaders, readAt } from '#kernel/http/if-match.ts';
import { IdParams, NoBody, noteField } from '#platform/admin/index.ts';
import { one } from './admin-endpoints.ts';
import { attachBundle } from './bundle.ts';
import type { ChangeOptions } from './change.ts';
import { archive, promote, unyank, yank } from './lifecycle.ts';
import { publish } from './publish.ts';
import type { Release } from './release.ts';
import { rollout } from './rollout-change.ts';
import { PromoteInput, PublishInput, RolloutInput, SignatureInput, YankInput } from './schemas.ts';
import { attachSignature } from './signature.ts';
import { BundleView, OneRelease, releaseView } from './view.ts';

const base = '/api/v1/admin/releases/{id}';

/** Of everything that changes one release. */
const errors = [
  'VALIDATION_ERROR',
  'NOT_FOUND',
  'CONFLICT',
  'PRECONDITION_FAILED',
  'VERIFICATION_FAILED',
] as const;

const uploading = endpoint({
  method: 'put',
  path: `${base}/bundle`,
  summary: 'Upload the bundle of a draft; of a published release the same bytes again, to put them back',
  scope: 'licensing:write',
  limit: null,
  params: IdParams,
  query: z.strictObject({ filename: text({ min: 1, max: 255 }).optional() }),
  headers: IfMatchHeaders,
  upload: { maxBytes: (ctx: Ctx) => ctx.uploadLimitBytes },
  replies: { 200: BundleView },
  errors,
  handle: async (ctx, { params, query, headers, raw }) => {
    const sent = { filename: query.filename ?? raw.filename, source: raw.stream };
    const release = await attachBundle(ctx, params.id, sent, { ifMatch: readAt(headers) });
    return ok({
      sha256: release.bundleSha256 as string,
      sha512: release.bundleSha512 as string,
      size: release.bundleSize as number,
      release: releaseView(release, ctx.now()),
    });
  },
});

/** What an action asks for beside its note, and what it does. */
interface Action<B extends z.ZodObject> {
  readonly summary: string;
  readonly body: B;
  /** Whether a request without a body asks for something. */
  readonly bodyOptional?: true;
  run(ctx: Ctx, id: string, input: z.output<B>, options: ChangeOptions): Promise<Release>;
}

function action<B extends z.ZodObject>(method: 'post' | 'put', name: string, spec: Action<B>): Endpoint {
  return endpoint({
    method,
    path: `${base}/${name}`,
    summary: spec.summary,
    scope: 'licensing:write',
    limit: null,
    rehearsable: true,
    params: IdParams,
    headers: IfMatchHeaders,
    body: spec.body.extend({ note: noteField() }),
    ...(spec.bodyOptional && { bodyOptional: true }),
    replies: { 200: OneRelease },
    errors,
    handle: async (ctx, { params, headers, body }) => {
      const { note, ...input } = body as { note?: string };
      const options = { note, ifMatch: readAt(headers) };
      return ok(one(ctx, await spec.run(ctx, params.id, input as z.output<B>, options)));
    },
  });
}

export const releaseActionEndpoints = [
  uploading,
  action('put', 'signature', {
    summary: 'Give a draft its signature; a published release a statement that is good for longer',
    body: SignatureInput,
    run: attachSignature,
  }),
  action('post', 'publish', {
    summary: 'Publish a draft; refused unless bytes, signature, statement and channel are right',
    body: PublishInput,
    bodyOptional: true,
    run: publish,
  }),
  action('post', 'yank', {
    summary: 'Withdraw a release: it is neither offered nor served any more',
    body: YankInput.extend({ unpublishFile: optional(flag()) }),
    run: yank,
  }),
  action('post', 'unyank', {
    summary: 'Take a withdrawal back: the release is published or archived as before',
    body: NoBody,
    bodyOptional: true,
    run: (ctx, id, _input, options) => unyank(ctx, id, options),
  }),
  action('post', 'archive', {
    summary: 'Stop offering a release; by its id it is still served',
    body: NoBody,
    bodyOptional: true,
    run: (ctx, id, _input, options) => archive(ctx, id, options),
  }),
  action('post', 'rollout', {
    summary: 'Change how far a release reaches; a percent without a schedule ends the schedule',
    body: RolloutInput,
    run: rollout,
  }),
  action('post', 'promote', {
    summary: 'Move a published release to another channel; with a statement for it where it has one',
    body: PromoteInput,
    run: promote,
  }),
];
