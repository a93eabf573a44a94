import { z } from 'zod';
import { count, flag, instant, integer, oneOf, optional, text } from '#kernel/http/fields.ts';
import { jsonObject } from '#kernel/http/json-object.ts';
import { slugField } from '#kernel/service/fields.ts';
import { Pagination } from '#kernel/service/pagination.ts';
import { later } from '#kernel/sharing.ts';
import {
  LICENSE_TYPES,
  LICENSING_MODES,
  PRODUCT_STATUSES,
  PRODUCT_TYPES,
} from '#licensing/contract/enumerations.ts';
import { bounds } from '#licensing/contract/limits.ts';

/** A policy or key format is named by its id or by its name, which may be longer than an id. */
const reference = () => text({ min: 1, max: 100 });

const shape = {
  name: text({ min: 1, max: 255 }),
  slug: slugField(),
  type: oneOf(PRODUCT_TYPES),
  status: oneOf(PRODUCT_STATUSES),
  licensingMode: oneOf(LICENSING_MODES),
  defaultLicenseType: oneOf(LICENSE_TYPES),
  defaultMaxActivations: integer(bounds.maxActivations.min, bounds.maxActivations.max),
  defaultDurationDays: integer(bounds.durationDays.min, bounds.durationDays.max),
  policyId: reference(),
  keyFormatId: reference(),
  prereleaseNeedsBeta: flag(),
  criticalUpdatesForExpired: flag(),
  statementRequired: flag(),
  metadata: jsonObject(bounds.metadata),
};

/**
 * Input that creates a product. Left out: type DESKTOP, status ACTIVE, mode STANDARD, licenses PERPETUAL with one
 * activation; the use case fills these in.
 */
export const ProductCreate = later(() =>
  z.strictObject({
    name: shape.name,
    slug: shape.slug,
    type: optional(shape.type),
    status: optional(shape.status),
    licensingMode: optional(shape.licensingMode),
    defaultLicenseType: optional(shape.defaultLicenseType),
    defaultMaxActivations: optional(shape.defaultMaxActivations),
    defaultDurationDays: optional(shape.defaultDurationDays),
    policyId: optional(shape.policyId),
    keyFormatId: optional(shape.keyFormatId),
    prereleaseNeedsBeta: optional(shape.prereleaseNeedsBeta),
    criticalUpdatesForExpired: optional(shape.criticalUpdatesForExpired),
    statementRequired: optional(shape.statementRequired),
    metadata: optional(shape.metadata),
  }),
);
export type ProductCreateInput = z.output<typeof ProductCreate>;

/** Input that changes a product: absent leaves a field, null clears one that may be empty. */
export const ProductUpdate = later(() =>
  z
    .strictObject({
      ...shape,
      defaultDurationDays: shape.defaultDurationDays.nullable(),
      policyId: shape.policyId.nullable(),
      keyFormatId: shape.keyFormatId.nullable(),
    })
    .partial(),
);
export type ProductUpdateInput = z.output<typeof ProductUpdate>;

/** Product in GET /api/v1/products (D29). */
export const ProductPublic = later(() =>
  z
    .object({
      id: z.string(),
      name: z.string(),
      slug: z.string(),
      type: z.enum(PRODUCT_TYPES),
      status: z.enum(PRODUCT_STATUSES),
      licensingMode: z.enum(LICENSING_MODES),
      defaultLicenseType: z.enum(LICENSE_TYPES),
      defaultMaxActivations: count(),
      createdAt: instant(),
    })
    .meta({ id: 'PublicProduct' }),
);
export type ProductPublicReply = z.output<typeof ProductPublic>;

/** Reply of GET /api/v1/products, which always carries pagination (D17). */
export const ProductsReply = z
  .object({ products: z.array(ProductPublic), pagination: Pagination })
  .meta({ id: 'PublicProducts' });
