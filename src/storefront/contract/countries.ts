/** Countries as address forms need them (storefront-api.md, A). */

/** ISO 3166-1 with two letters. */
export const COUNTRY_CODES: readonly string[] = (
  'AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ ' +
  'CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR ' +
  'GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP ' +
  'KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ ' +
  'NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW ' +
  'SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ ' +
  'UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW'
).split(' ');

/** Where letters arrive without a postal code, because there is none or nobody writes it. */
const WITHOUT_POSTAL_CODE: ReadonlySet<string> = new Set(
  (
    'AE AG AN AO AQ AW BB BF BI BJ BO BQ BS BV BW BZ CD CF CG CI CK CM CW DJ DM ER FJ GD GH GM GN GQ GY HK HM IE JM KI KM KN KP ' +
    'LC LY ML MO MR MS MW NR NU PA QA RW SB SC SL SO SR SS ST SX SY TD TF TG TK TL TO TV TZ UG UM VU WS YE ZW'
  ).split(' '),
);

/** Whether an address of a country is incomplete without its postal code. */
export const needsPostalCode = (code: string): boolean => !WITHOUT_POSTAL_CODE.has(code);

/** `CODE Name; CODE Name`: the parts of a country that stand in its addresses, as they are written there. */
const parts: Readonly<Record<string, string>> = {
  AU: 'ACT Australian Capital Territory; NSW New South Wales; NT Northern Territory; QLD Queensland; SA South Australia; TAS Tasmania; VIC Victoria; WA Western Australia',
  BR: 'AC Acre; AL Alagoas; AP Amapá; AM Amazonas; BA Bahia; CE Ceará; DF Distrito Federal; ES Espírito Santo; GO Goiás; MA Maranhão; MT Mato Grosso; MS Mato Grosso do Sul; MG Minas Gerais; PA Pará; PB Paraíba; PR Paraná; PE Pernambuco; PI Piauí; RJ Rio de Janeiro; RN Rio Grande do Norte; RS Rio Grande do Sul; RO Rondônia; RR Roraima; SC Santa Catarina; SP São Paulo; SE Sergipe; TO Tocantins',
  CA: 'AB Alberta; BC British Columbia; MB Manitoba; NB New Brunswick; NL Newfoundland and Labrador; NT Northwest Territories; NS Nova Scotia; NU Nunavut; ON Ontario; PE Prince Edward Island; QC Quebec; SK Saskatchewan; YT Yukon',
  IN: 'AN Andaman and Nicobar Islands; AP Andhra Pradesh; AR Arunachal Pradesh; AS Assam; BR Bihar; CH Chandigarh; CG Chhattisgarh; DH Dadra and Nagar Haveli and Daman and Diu; DL Delhi; GA Goa; GJ Gujarat; HR Haryana; HP Himachal Pradesh; JK Jammu and Kashmir; JH Jharkhand; KA Karnataka; KL Kerala; LA Ladakh; LD Lakshadweep; MP Madhya Pradesh; MH Maharashtra; MN Manipur; ML Meghalaya; MZ Mizoram; NL Nagaland; OD Odisha; PY Puducherry; PB Punjab; RJ Rajasthan; SK Sikkim; TN Tamil Nadu; TS Telangana; TR Tripura; UP Uttar Pradesh; UK Uttarakhand; WB West Bengal',
  MX: 'AGU Aguascalientes; BCN Baja California; BCS Baja California Sur; CAM Campeche; CHP Chiapas; CHH Chihuahua; CMX Ciudad de México; COA Coahuila; COL Colima; DUR Durango; MEX Estado de México; GUA Guanajuato; GRO Guerrero; HID Hidalgo; JAL Jalisco; MIC Michoacán; MOR Morelos; NAY Nayarit; NLE Nuevo León; OAX Oaxaca; PUE Puebla; QUE Querétaro; ROO Quintana Roo; SLP San Luis Potosí; SIN Sinaloa; SON Sonora; TAB Tabasco; TAM Tamaulipas; TLA Tlaxcala; VER Veracruz; YUC Yucatán; ZAC Zacatecas',
  US: 'AL Alabama; AK Alaska; AS American Samoa; AZ Arizona; AR Arkansas; AA Armed Forces Americas; AE Armed Forces Europe; AP Armed Forces Pacific; CA California; CO Colorado; CT Connecticut; DE Delaware; DC District of Columbia; FL Florida; GA Georgia; GU Guam; HI Hawaii; ID Idaho; IL Illinois; IN Indiana; IA Iowa; KS Kansas; KY Kentucky; LA Louisiana; ME Maine; MD Maryland; MA Massachusetts; MI Michigan; MN Minnesota; MS Mississippi; MO Missouri; MT Montana; NE Nebraska; NV Nevada; NH New Hampshire; NJ New Jersey; NM New Mexico; NY New York; NC North Carolina; ND North Dakota; MP Northern Mariana Islands; OH Ohio; OK Oklahoma; OR Oregon; PA Pennsylvania; PR Puerto Rico; RI Rhode Island; SC South Carolina; SD South Dakota; TN Tennessee; TX Texas; UT Utah; VT Vermont; VI Virgin Islands; VA Virginia; WA Washington; WV West Virginia; WI Wisconsin; WY Wyoming',
};

/** A part of a country, such as a state or a province. */
export interface State {
  readonly code: string;
  readonly name: string;
}

const states: ReadonlyMap<string, readonly State[]> = new Map(
  Object.entries(parts).map(([country, text]) => [
    country,
    text.split('; ').map((part) => {
      const [code = ''] = part.split(' ', 1);
      return { code, name: part.slice(code.length + 1) };
    }),
  ]),
);

/** The states of a country, by their names; none where addresses name none. */
export const statesOf = (code: string): readonly State[] => states.get(code) ?? [];
