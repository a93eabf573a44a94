/** A picture as a line names it. */
interface PictureNamed {
  readonly sha256: string;
  readonly file_name?: string;
}

interface OptionSent {
  readonly values?: { readonly picture?: PictureNamed | null }[];
}

/** A line of a file as far as it names pictures; what it holds is for the shop to judge. */
export type LineSent = Readonly<Record<string, unknown>> & {
  readonly pictures?: PictureNamed[];
  readonly picture?: PictureNamed | null;
  readonly options?: OptionSent[];
};

const listed = <T>(list: readonly T[] | undefined): readonly T[] => (Array.isArray(list) ? list : []);

/** All pictures that a line names: of a product, of the values of its options, of a category. */
export const picturesIn = ({ pictures, picture, options }: LineSent): PictureNamed[] => [
  ...listed(pictures),
  ...(picture ? [picture] : []),
  ...listed(options).flatMap(({ values }) => listed(values).flatMap((one) => one.picture ?? [])),
];

/** The line without some of its pictures: those that there are stay as they are. @param leaves by the digest */
export function withoutPictures(line: LineSent, leaves: (sha256: string) => boolean): LineSent {
  const { pictures, picture, options, ...others } = line;
  const kept = pictures && listed(pictures).filter(({ sha256 }) => !leaves(sha256));
  const isBare = kept !== undefined && kept.length === 0 && listed(pictures).length > 0;
  return {
    ...others,
    ...(kept && !isBare && { pictures: kept }),
    ...(picture !== undefined && !(picture && leaves(picture.sha256)) && { picture }),
    ...(options && { options: listed(options).map((one) => withoutValuePictures(one, leaves)) }),
  };
}

function withoutValuePictures(option: OptionSent, leaves: (sha256: string) => boolean): OptionSent {
  if (!Array.isArray(option?.values)) return option;
  const values = option.values.map((one) => {
    if (!one?.picture || !leaves(one.picture.sha256)) return one;
    const { picture: _left, ...others } = one;
    return others;
  });
  return { ...option, values };
}
