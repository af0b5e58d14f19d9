/**
 * Text of a GraphQL document with the types of its result and variables.
 *
 * The types are generated (`npm run codegen`); the value is a plain string, so a document costs its text and no more.
 */
export type Document<Data, Variables> = string & { readonly types?: (variables: Variables) => Data };

/** Declares a document: `gql<DebateListQuery, DebateListQueryVariables>(/* GraphQL *\/ `query DebateList ...`)`. */
export function gql<Data, Variables>(text: string): Document<Data, Variables> {
  return text;
}
