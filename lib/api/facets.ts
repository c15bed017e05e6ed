/** The filters that runs offer, with how many runs have each (`GET /api/facets`). */
export interface FacetsReply {
  tags: Facet[];
  folders: Facet[];
  models: Facet[];
}

export interface Facet {
  name: string;
  runs: number;
}
