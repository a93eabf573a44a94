/** What a first license needs. */
export interface FirstSteps {
  /** Slug of the product, and whether it is there already. */
  readonly slug: string;
  readonly hasProduct: boolean;
  /** Where the server answers. */
  readonly origin: string;
}

const call = (origin: string, what: string): string =>
  `curl -s -H "X-API-Key: $API_KEY" -H 'Content-Type: application/json' -d "{\\"licenseKey\\":\\"$KEY\\",\\"machineId\\":\\"machine-0001\\"}" ${origin}/api/v1/license/${what}`;

/** The lines of a shell that lead from an installation to a license which an application has validated. */
export const firstSteps = ({ slug, hasProduct, origin }: FirstSteps): string[] => [
  ...(hasProduct ? [] : [`appctl product create --name Editor --slug ${slug}`]),
  'API_KEY=$(appctl apikey create --service license --name app --scope VALIDATE_ONLY --reveal --plain --fields secret)',
  `KEY=$(appctl license mint --product ${slug} --email ann@example.com --reveal --plain --fields key)`,
  call(origin, 'activate'),
  call(origin, 'validate'),
];
