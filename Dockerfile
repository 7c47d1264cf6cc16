# One image for all roles: `docker run IMAGE api`, `actors`, `market`, `jobs`; several names, or none for all in one process.
# NODE_IMAGE_DIGEST=@sha256:… ties the build to one image.
ARG NODE_IMAGE_DIGEST=""
FROM node:22.23.3-bookworm-slim${NODE_IMAGE_DIGEST} AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY tsconfig.json tsconfig.build.json ./
COPY tools/start tools/start
COPY src src
RUN npm run build && npm prune --omit=dev

FROM node:22.23.3-bookworm-slim${NODE_IMAGE_DIGEST}
ENV NODE_ENV=production
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
USER node
EXPOSE 3000
ENTRYPOINT ["node", "--enable-source-maps", "dist/main.js"]
