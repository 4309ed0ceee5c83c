/** What a page that is being pictured asked for. */
export interface PageAnswer {
  status: number;
  headers: Record<string, string>;
  body: Buffer;
}

export interface PictureWish {
  url: string;
  /** What the page, and all that it names, is answered with; undefined: nobody answers. This is the only way out that it has. */
  answer(url: URL): Promise<PageAnswer | undefined>;
}

/** Takes pictures of pages, one at a time, and runs nothing of what they bring along. */
export interface Browser {
  /** As WebP. Rejects where there is no picture within some seconds. */
  takePicture(wish: PictureWish): Promise<Buffer>;
  close(): Promise<void>;
}
