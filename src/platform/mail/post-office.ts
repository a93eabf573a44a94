import type { Ctx } from '#kernel/context.ts';
import type { BrandSource, MailBrand } from '#kernel/mail.ts';
import { memoryKey, type ProcessMemory } from '#kernel/process-memory.ts';

/** What the configuration and the services of a program say of its mails. */
export interface PostOffice {
  /** Folder that takes mails as files where no server is named; null: they wait. */
  readonly folder: string | null;
  /** Of the operator, whose files replace the shipped templates of the same path. */
  readonly templatesDir: string | undefined;
  readonly brand: BrandSource;
}

/** Without a shop: the host of the address stands for a name (storefront-settled Z24). */
const plainBrand: BrandSource = async ({ baseUrl }) => ({
  storeName: new URL(baseUrl).hostname || 'localhost',
  storeUrl: baseUrl,
  storeEmail: null,
  color: '#111827',
  logoUrl: null,
});

const inForce = memoryKey('post office', (): { office: PostOffice } => ({
  office: { folder: null, templatesDir: undefined, brand: plainBrand },
}));

/** Takes what is known when the program opens its installation. @param brands of the capabilities, in their order */
export function openPostOffice(
  memory: ProcessMemory,
  { brands, ...rest }: Omit<PostOffice, 'brand'> & { readonly brands: readonly BrandSource[] },
): void {
  memory.of(inForce).office = { ...rest, brand: brands.at(-1) ?? plainBrand };
}

export const postOffice = (ctx: Ctx): PostOffice => ctx.memory.of(inForce).office;

/** How mails look now. */
export const brandNow = (ctx: Ctx): Promise<MailBrand> => postOffice(ctx).brand(ctx);
