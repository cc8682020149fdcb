/* frazil_netcdf.h: netCDF's C interface with frazil's engine behind it.
 *
 * Every function has the signature, the semantics and the status codes of the function of netCDF-C
 * whose name it bears behind the prefix `frz_`. A model that is to change one line only includes
 * this file in place of <netcdf.h>, with FRAZIL_NETCDF_NAMES defined, and is linked with frazil:
 *
 *     #define FRAZIL_NETCDF_NAMES
 *     #include <frazil_netcdf.h>
 *
 * Identifiers of files are numbers, so that the table of open files is one for the whole process.
 * Each file has a lock of its own: threads may write different files at the same time, and calls on
 * one file wait for each other.
 *
 * Written by scripts/write_netcdf_interface.py.
 */
#ifndef FRAZIL_NETCDF_H
#define FRAZIL_NETCDF_H

#include <stddef.h>

/* Numbers of the interface. */

#ifndef NC_NAT
#define NC_NAT 0
#endif
#ifndef NC_BYTE
#define NC_BYTE 1
#endif
#ifndef NC_CHAR
#define NC_CHAR 2
#endif
#ifndef NC_SHORT
#define NC_SHORT 3
#endif
#ifndef NC_INT
#define NC_INT 4
#endif
#ifndef NC_LONG
#define NC_LONG NC_INT
#endif
#ifndef NC_FLOAT
#define NC_FLOAT 5
#endif
#ifndef NC_DOUBLE
#define NC_DOUBLE 6
#endif
#ifndef NC_UBYTE
#define NC_UBYTE 7
#endif
#ifndef NC_USHORT
#define NC_USHORT 8
#endif
#ifndef NC_UINT
#define NC_UINT 9
#endif
#ifndef NC_INT64
#define NC_INT64 10
#endif
#ifndef NC_UINT64
#define NC_UINT64 11
#endif
#ifndef NC_STRING
#define NC_STRING 12
#endif
#ifndef NC_VLEN
#define NC_VLEN 13
#endif
#ifndef NC_OPAQUE
#define NC_OPAQUE 14
#endif
#ifndef NC_ENUM
#define NC_ENUM 15
#endif
#ifndef NC_COMPOUND
#define NC_COMPOUND 16
#endif
#ifndef NC_FILL_BYTE
#define NC_FILL_BYTE ((signed char)-127)
#endif
#ifndef NC_FILL_CHAR
#define NC_FILL_CHAR ((char)0)
#endif
#ifndef NC_FILL_SHORT
#define NC_FILL_SHORT ((short)-32767)
#endif
#ifndef NC_FILL_INT
#define NC_FILL_INT (-2147483647)
#endif
#ifndef NC_FILL_FLOAT
#define NC_FILL_FLOAT (9.9692099683868690e+36f)
#endif
#ifndef NC_FILL_DOUBLE
#define NC_FILL_DOUBLE (9.9692099683868690e+36)
#endif
#ifndef NC_FILL_UBYTE
#define NC_FILL_UBYTE (255)
#endif
#ifndef NC_FILL_USHORT
#define NC_FILL_USHORT (65535)
#endif
#ifndef NC_FILL_UINT
#define NC_FILL_UINT (4294967295U)
#endif
#ifndef NC_FILL_INT64
#define NC_FILL_INT64 ((long long)-9223372036854775806LL)
#endif
#ifndef NC_FILL_UINT64
#define NC_FILL_UINT64 ((unsigned long long)18446744073709551614ULL)
#endif
#ifndef NC_FILL_STRING
#define NC_FILL_STRING ((char *)"")
#endif
#ifndef NC_MAX_BYTE
#define NC_MAX_BYTE 127
#endif
#ifndef NC_MIN_BYTE
#define NC_MIN_BYTE (-NC_MAX_BYTE-1)
#endif
#ifndef NC_MAX_CHAR
#define NC_MAX_CHAR 255
#endif
#ifndef NC_MAX_SHORT
#define NC_MAX_SHORT 32767
#endif
#ifndef NC_MIN_SHORT
#define NC_MIN_SHORT (-NC_MAX_SHORT - 1)
#endif
#ifndef NC_MAX_INT
#define NC_MAX_INT 2147483647
#endif
#ifndef NC_MIN_INT
#define NC_MIN_INT (-NC_MAX_INT - 1)
#endif
#ifndef NC_MAX_FLOAT
#define NC_MAX_FLOAT 3.402823466e+38f
#endif
#ifndef NC_MIN_FLOAT
#define NC_MIN_FLOAT (-NC_MAX_FLOAT)
#endif
#ifndef NC_MAX_DOUBLE
#define NC_MAX_DOUBLE 1.7976931348623157e+308
#endif
#ifndef NC_MIN_DOUBLE
#define NC_MIN_DOUBLE (-NC_MAX_DOUBLE)
#endif
#ifndef NC_MAX_UBYTE
#define NC_MAX_UBYTE NC_MAX_CHAR
#endif
#ifndef NC_MAX_USHORT
#define NC_MAX_USHORT 65535U
#endif
#ifndef NC_MAX_UINT
#define NC_MAX_UINT 4294967295U
#endif
#ifndef NC_MAX_INT64
#define NC_MAX_INT64 (9223372036854775807LL)
#endif
#ifndef NC_MIN_INT64
#define NC_MIN_INT64 (-9223372036854775807LL-1)
#endif
#ifndef NC_MAX_UINT64
#define NC_MAX_UINT64 (18446744073709551615ULL)
#endif
#ifndef NC_FillValue
#define NC_FillValue "_FillValue"
#endif
#ifndef NC_FILL
#define NC_FILL 0
#endif
#ifndef NC_NOFILL
#define NC_NOFILL 0x100
#endif
#ifndef NC_NOWRITE
#define NC_NOWRITE 0x0000
#endif
#ifndef NC_WRITE
#define NC_WRITE 0x0001
#endif
#ifndef NC_CLOBBER
#define NC_CLOBBER 0x0000
#endif
#ifndef NC_NOCLOBBER
#define NC_NOCLOBBER 0x0004
#endif
#ifndef NC_DISKLESS
#define NC_DISKLESS 0x0008
#endif
#ifndef NC_MMAP
#define NC_MMAP 0x0010
#endif
#ifndef NC_64BIT_DATA
#define NC_64BIT_DATA 0x0020
#endif
#ifndef NC_CDF5
#define NC_CDF5 NC_64BIT_DATA
#endif
#ifndef NC_CLASSIC_MODEL
#define NC_CLASSIC_MODEL 0x0100
#endif
#ifndef NC_64BIT_OFFSET
#define NC_64BIT_OFFSET 0x0200
#endif
#ifndef NC_LOCK
#define NC_LOCK 0x0400
#endif
#ifndef NC_SHARE
#define NC_SHARE 0x0800
#endif
#ifndef NC_NETCDF4
#define NC_NETCDF4 0x1000
#endif
#ifndef NC_MPIIO
#define NC_MPIIO 0x2000
#endif
#ifndef NC_MPIPOSIX
#define NC_MPIPOSIX NC_MPIIO
#endif
#ifndef NC_PNETCDF
#define NC_PNETCDF (NC_MPIIO)
#endif
#ifndef NC_PERSIST
#define NC_PERSIST 0x4000
#endif
#ifndef NC_INMEMORY
#define NC_INMEMORY 0x8000
#endif
#ifndef NC_NOATTCREORD
#define NC_NOATTCREORD 0x20000
#endif
#ifndef NC_NODIMSCALE_ATTACH
#define NC_NODIMSCALE_ATTACH 0x40000
#endif
#ifndef NC_FORMAT_CLASSIC
#define NC_FORMAT_CLASSIC (1)
#endif
#ifndef NC_FORMAT_64BIT_OFFSET
#define NC_FORMAT_64BIT_OFFSET (2)
#endif
#ifndef NC_FORMAT_64BIT
#define NC_FORMAT_64BIT (NC_FORMAT_64BIT_OFFSET)
#endif
#ifndef NC_FORMAT_NETCDF4
#define NC_FORMAT_NETCDF4 (3)
#endif
#ifndef NC_FORMAT_NETCDF4_CLASSIC
#define NC_FORMAT_NETCDF4_CLASSIC (4)
#endif
#ifndef NC_FORMAT_64BIT_DATA
#define NC_FORMAT_64BIT_DATA (5)
#endif
#ifndef NC_SIZEHINT_DEFAULT
#define NC_SIZEHINT_DEFAULT 0
#endif
#ifndef NC_ALIGN_CHUNK
#define NC_ALIGN_CHUNK ((size_t)(-1))
#endif
#ifndef NC_UNLIMITED
#define NC_UNLIMITED 0L
#endif
#ifndef NC_GLOBAL
#define NC_GLOBAL -1
#endif
#ifndef NC_MAX_DIMS
#define NC_MAX_DIMS 1024
#endif
#ifndef NC_MAX_ATTRS
#define NC_MAX_ATTRS 8192
#endif
#ifndef NC_MAX_VARS
#define NC_MAX_VARS 8192
#endif
#ifndef NC_MAX_NAME
#define NC_MAX_NAME 256
#endif
#ifndef NC_MAX_VAR_DIMS
#define NC_MAX_VAR_DIMS 1024
#endif
#ifndef NC_ENDIAN_NATIVE
#define NC_ENDIAN_NATIVE 0
#endif
#ifndef NC_ENDIAN_LITTLE
#define NC_ENDIAN_LITTLE 1
#endif
#ifndef NC_ENDIAN_BIG
#define NC_ENDIAN_BIG 2
#endif
#ifndef NC_CHUNKED
#define NC_CHUNKED 0
#endif
#ifndef NC_CONTIGUOUS
#define NC_CONTIGUOUS 1
#endif
#ifndef NC_COMPACT
#define NC_COMPACT 2
#endif
#ifndef NC_UNKNOWN_STORAGE
#define NC_UNKNOWN_STORAGE 3
#endif
#ifndef NC_VIRTUAL
#define NC_VIRTUAL 4
#endif
#ifndef NC_NOCHECKSUM
#define NC_NOCHECKSUM 0
#endif
#ifndef NC_FLETCHER32
#define NC_FLETCHER32 1
#endif
#ifndef NC_NOSHUFFLE
#define NC_NOSHUFFLE 0
#endif
#ifndef NC_SHUFFLE
#define NC_SHUFFLE 1
#endif
#ifndef NC_MIN_DEFLATE_LEVEL
#define NC_MIN_DEFLATE_LEVEL 0
#endif
#ifndef NC_MAX_DEFLATE_LEVEL
#define NC_MAX_DEFLATE_LEVEL 9
#endif
#ifndef NC_SZIP_NN
#define NC_SZIP_NN 32
#endif
#ifndef NC_SZIP_EC
#define NC_SZIP_EC 4
#endif
#ifndef NC_NOQUANTIZE
#define NC_NOQUANTIZE 0
#endif
#ifndef NC_QUANTIZE_BITGROOM
#define NC_QUANTIZE_BITGROOM 1
#endif
#ifndef NC_QUANTIZE_GRANULARBR
#define NC_QUANTIZE_GRANULARBR 2
#endif
#ifndef NC_QUANTIZE_BITROUND
#define NC_QUANTIZE_BITROUND 3
#endif
#ifndef NC_QUANTIZE_MAX_FLOAT_NSD
#define NC_QUANTIZE_MAX_FLOAT_NSD (6)
#endif
#ifndef NC_QUANTIZE_MAX_FLOAT_NSB
#define NC_QUANTIZE_MAX_FLOAT_NSB (23)
#endif
#ifndef NC_QUANTIZE_MAX_DOUBLE_NSD
#define NC_QUANTIZE_MAX_DOUBLE_NSD (15)
#endif
#ifndef NC_QUANTIZE_MAX_DOUBLE_NSB
#define NC_QUANTIZE_MAX_DOUBLE_NSB (52)
#endif
#ifndef NC_NOERR
#define NC_NOERR 0
#endif
#ifndef NC_EBADID
#define NC_EBADID (-33)
#endif
#ifndef NC_ENFILE
#define NC_ENFILE (-34)
#endif
#ifndef NC_EEXIST
#define NC_EEXIST (-35)
#endif
#ifndef NC_EINVAL
#define NC_EINVAL (-36)
#endif
#ifndef NC_EPERM
#define NC_EPERM (-37)
#endif
#ifndef NC_ENOTINDEFINE
#define NC_ENOTINDEFINE (-38)
#endif
#ifndef NC_EINDEFINE
#define NC_EINDEFINE (-39)
#endif
#ifndef NC_EINVALCOORDS
#define NC_EINVALCOORDS (-40)
#endif
#ifndef NC_EMAXDIMS
#define NC_EMAXDIMS (-41)
#endif
#ifndef NC_ENAMEINUSE
#define NC_ENAMEINUSE (-42)
#endif
#ifndef NC_ENOTATT
#define NC_ENOTATT (-43)
#endif
#ifndef NC_EMAXATTS
#define NC_EMAXATTS (-44)
#endif
#ifndef NC_EBADTYPE
#define NC_EBADTYPE (-45)
#endif
#ifndef NC_EBADDIM
#define NC_EBADDIM (-46)
#endif
#ifndef NC_EUNLIMPOS
#define NC_EUNLIMPOS (-47)
#endif
#ifndef NC_EMAXVARS
#define NC_EMAXVARS (-48)
#endif
#ifndef NC_ENOTVAR
#define NC_ENOTVAR (-49)
#endif
#ifndef NC_EGLOBAL
#define NC_EGLOBAL (-50)
#endif
#ifndef NC_ENOTNC
#define NC_ENOTNC (-51)
#endif
#ifndef NC_ESTS
#define NC_ESTS (-52)
#endif
#ifndef NC_EMAXNAME
#define NC_EMAXNAME (-53)
#endif
#ifndef NC_EUNLIMIT
#define NC_EUNLIMIT (-54)
#endif
#ifndef NC_ENORECVARS
#define NC_ENORECVARS (-55)
#endif
#ifndef NC_ECHAR
#define NC_ECHAR (-56)
#endif
#ifndef NC_EEDGE
#define NC_EEDGE (-57)
#endif
#ifndef NC_ESTRIDE
#define NC_ESTRIDE (-58)
#endif
#ifndef NC_EBADNAME
#define NC_EBADNAME (-59)
#endif
#ifndef NC_ERANGE
#define NC_ERANGE (-60)
#endif
#ifndef NC_ENOMEM
#define NC_ENOMEM (-61)
#endif
#ifndef NC_EVARSIZE
#define NC_EVARSIZE (-62)
#endif
#ifndef NC_EDIMSIZE
#define NC_EDIMSIZE (-63)
#endif
#ifndef NC_ETRUNC
#define NC_ETRUNC (-64)
#endif
#ifndef NC_EIO
#define NC_EIO (-68)
#endif
#ifndef NC_ENOTFOUND
#define NC_ENOTFOUND (-90)
#endif
#ifndef NC_ECANTREMOVE
#define NC_ECANTREMOVE (-91)
#endif
#ifndef NC_EINTERNAL
#define NC_EINTERNAL (-92)
#endif
#ifndef NC_EPNETCDF
#define NC_EPNETCDF (-93)
#endif
#ifndef NC_EHDFERR
#define NC_EHDFERR (-101)
#endif
#ifndef NC_ECANTREAD
#define NC_ECANTREAD (-102)
#endif
#ifndef NC_ECANTWRITE
#define NC_ECANTWRITE (-103)
#endif
#ifndef NC_ECANTCREATE
#define NC_ECANTCREATE (-104)
#endif
#ifndef NC_EFILEMETA
#define NC_EFILEMETA (-105)
#endif
#ifndef NC_EDIMMETA
#define NC_EDIMMETA (-106)
#endif
#ifndef NC_EATTMETA
#define NC_EATTMETA (-107)
#endif
#ifndef NC_EVARMETA
#define NC_EVARMETA (-108)
#endif
#ifndef NC_ENOCOMPOUND
#define NC_ENOCOMPOUND (-109)
#endif
#ifndef NC_EATTEXISTS
#define NC_EATTEXISTS (-110)
#endif
#ifndef NC_ENOTNC4
#define NC_ENOTNC4 (-111)
#endif
#ifndef NC_ESTRICTNC3
#define NC_ESTRICTNC3 (-112)
#endif
#ifndef NC_ENOTNC3
#define NC_ENOTNC3 (-113)
#endif
#ifndef NC_ENOPAR
#define NC_ENOPAR (-114)
#endif
#ifndef NC_EPARINIT
#define NC_EPARINIT (-115)
#endif
#ifndef NC_EBADGRPID
#define NC_EBADGRPID (-116)
#endif
#ifndef NC_EBADTYPID
#define NC_EBADTYPID (-117)
#endif
#ifndef NC_ETYPDEFINED
#define NC_ETYPDEFINED (-118)
#endif
#ifndef NC_EBADFIELD
#define NC_EBADFIELD (-119)
#endif
#ifndef NC_EBADCLASS
#define NC_EBADCLASS (-120)
#endif
#ifndef NC_EMAPTYPE
#define NC_EMAPTYPE (-121)
#endif
#ifndef NC_ELATEFILL
#define NC_ELATEFILL (-122)
#endif
#ifndef NC_ELATEDEF
#define NC_ELATEDEF (-123)
#endif
#ifndef NC_EDIMSCALE
#define NC_EDIMSCALE (-124)
#endif
#ifndef NC_ENOGRP
#define NC_ENOGRP (-125)
#endif
#ifndef NC_ESTORAGE
#define NC_ESTORAGE (-126)
#endif
#ifndef NC_EBADCHUNK
#define NC_EBADCHUNK (-127)
#endif
#ifndef NC_ENOTBUILT
#define NC_ENOTBUILT (-128)
#endif
#ifndef NC_EDISKLESS
#define NC_EDISKLESS (-129)
#endif
#ifndef NC_ECANTEXTEND
#define NC_ECANTEXTEND (-130)
#endif
#ifndef NC_EMPI
#define NC_EMPI (-131)
#endif
#ifndef NC_EFILTER
#define NC_EFILTER (-132)
#endif
#ifndef NC_ERCFILE
#define NC_ERCFILE (-133)
#endif
#ifndef NC_ENULLPAD
#define NC_ENULLPAD (-134)
#endif
#ifndef NC_EINMEMORY
#define NC_EINMEMORY (-135)
#endif
#ifndef NC_ENOFILTER
#define NC_ENOFILTER (-136)
#endif
#ifndef NC_ENCZARR
#define NC_ENCZARR (-137)
#endif
#ifndef NC_ES3
#define NC_ES3 (-138)
#endif
#ifndef NC_EEMPTY
#define NC_EEMPTY (-139)
#endif
#ifndef NC_EOBJECT
#define NC_EOBJECT (-140)
#endif
#ifndef NC_ENOOBJECT
#define NC_ENOOBJECT (-141)
#endif
#ifndef NC_EPLUGIN
#define NC_EPLUGIN (-142)
#endif
#ifndef NC_ENOTZARR
#define NC_ENOTZARR (-143)
#endif
#ifndef NC_EZARRMETA
#define NC_EZARRMETA (-144)
#endif
#ifndef NC_EXDR
#define NC_EXDR (-32)
#endif
#ifndef NC_FORMATX_UNDEFINED
#define NC_FORMATX_UNDEFINED (0)
#endif
#ifndef NC_FORMATX_NC3
#define NC_FORMATX_NC3 (1)
#endif
#ifndef NC_FORMATX_NC_HDF5
#define NC_FORMATX_NC_HDF5 (2)
#endif
#ifndef NC_FORMATX_NC4
#define NC_FORMATX_NC4 NC_FORMATX_NC_HDF5
#endif
#ifndef NC_ISSYSERR
#define NC_ISSYSERR(err) ((err) > 0)
#endif

#ifdef __cplusplus
extern "C" {
#endif

/** The number of a type. */
typedef int nc_type;

/* <netcdf.h> has it, too: whoever needs both includes that one first. */
#ifndef _NETCDF_
/** Elements of any number. */
typedef struct {
    size_t len;
    void *p;
} nc_vlen_t;
#endif

const char *frz_nc_inq_libvers(void);
const char *frz_nc_strerror(int ncerr);
int frz_nc__create(const char *path, int cmode, size_t initialsz, size_t *chunksizehintp, int
    *ncidp);
int frz_nc_create(const char *path, int cmode, int *ncidp);
int frz_nc__open(const char *path, int mode, size_t *chunksizehintp, int *ncidp);
int frz_nc_open(const char *path, int mode, int *ncidp);
int frz_nc_set_fill(int ncid, int fillmode, int *old_modep);
int frz_nc_set_default_format(int format, int *old_formatp);
int frz_nc_redef(int ncid);
int frz_nc__enddef(int ncid, size_t h_minfree, size_t v_align, size_t v_minfree, size_t r_align);
int frz_nc_enddef(int ncid);
int frz_nc_sync(int ncid);
int frz_nc_abort(int ncid);
int frz_nc_close(int ncid);
int frz_nc_delete(const char *path);
int frz_nc_inq_path(int ncid, size_t *pathlen, char *path);
int frz_nc_inq(int ncid, int *ndimsp, int *nvarsp, int *nattsp, int *unlimdimidp);
int frz_nc_inq_ndims(int ncid, int *ndimsp);
int frz_nc_inq_nvars(int ncid, int *nvarsp);
int frz_nc_inq_natts(int ncid, int *nattsp);
int frz_nc_inq_unlimdim(int ncid, int *unlimdimidp);
int frz_nc_inq_unlimdims(int ncid, int *nunlimdimsp, int *unlimdimidsp);
int frz_nc_inq_format(int ncid, int *formatp);
int frz_nc_inq_format_extended(int ncid, int *formatp, int *modep);
int frz_nc_inq_ncid(int ncid, const char *name, int *grp_ncid);
int frz_nc_inq_grps(int ncid, int *numgrps, int *ncids);
int frz_nc_inq_grpname(int ncid, char *name);
int frz_nc_inq_grpname_full(int ncid, size_t *lenp, char *full_name);
int frz_nc_inq_grpname_len(int ncid, size_t *lenp);
int frz_nc_inq_grp_parent(int ncid, int *parent_ncid);
int frz_nc_inq_grp_ncid(int ncid, const char *grp_name, int *grp_ncid);
int frz_nc_inq_grp_full_ncid(int ncid, const char *full_name, int *grp_ncid);
int frz_nc_inq_varids(int ncid, int *nvars, int *varids);
int frz_nc_inq_dimids(int ncid, int *ndims, int *dimids, int include_parents);
int frz_nc_inq_typeids(int ncid, int *ntypes, int *typeids);
int frz_nc_inq_type(int ncid, nc_type xtype, char *name, size_t *size);
int frz_nc_inq_typeid(int ncid, const char *name, nc_type *typeidp);
int frz_nc_def_grp(int parent_ncid, const char *name, int *new_ncid);
int frz_nc_rename_grp(int grpid, const char *name);
int frz_nc_def_dim(int ncid, const char *name, size_t len, int *idp);
int frz_nc_inq_dimid(int ncid, const char *name, int *idp);
int frz_nc_inq_dim(int ncid, int dimid, char *name, size_t *lenp);
int frz_nc_inq_dimname(int ncid, int dimid, char *name);
int frz_nc_inq_dimlen(int ncid, int dimid, size_t *lenp);
int frz_nc_rename_dim(int ncid, int dimid, const char *name);
int frz_nc_def_var(int ncid, const char *name, nc_type xtype, int ndims, const int *dimidsp, int
    *varidp);
int frz_nc_inq_var(int ncid, int varid, char *name, nc_type *xtypep, int *ndimsp, int *dimidsp, int
    *nattsp);
int frz_nc_inq_varid(int ncid, const char *name, int *varidp);
int frz_nc_inq_varname(int ncid, int varid, char *name);
int frz_nc_inq_vartype(int ncid, int varid, nc_type *xtypep);
int frz_nc_inq_varndims(int ncid, int varid, int *ndimsp);
int frz_nc_inq_vardimid(int ncid, int varid, int *dimidsp);
int frz_nc_inq_varnatts(int ncid, int varid, int *nattsp);
int frz_nc_rename_var(int ncid, int varid, const char *name);
int frz_nc_def_var_deflate(int ncid, int varid, int shuffle, int deflate, int deflate_level);
int frz_nc_inq_var_deflate(int ncid, int varid, int *shufflep, int *deflatep, int *deflate_levelp);
int frz_nc_def_var_fletcher32(int ncid, int varid, int fletcher32);
int frz_nc_inq_var_fletcher32(int ncid, int varid, int *fletcher32p);
int frz_nc_def_var_chunking(int ncid, int varid, int storage, const size_t *chunksizesp);
int frz_nc_inq_var_chunking(int ncid, int varid, int *storagep, size_t *chunksizesp);
int frz_nc_def_var_chunking_ints(int ncid, int varid, int storage, int *chunksizesp);
int frz_nc_inq_var_chunking_ints(int ncid, int varid, int *storagep, int *chunksizesp);
int frz_nc_def_var_fill(int ncid, int varid, int no_fill, const void *fill_value);
int frz_nc_inq_var_fill(int ncid, int varid, int *no_fill, void *fill_valuep);
int frz_nc_def_var_endian(int ncid, int varid, int endian);
int frz_nc_inq_var_endian(int ncid, int varid, int *endianp);
int frz_nc_def_var_quantize(int ncid, int varid, int quantize_mode, int nsd);
int frz_nc_inq_var_quantize(int ncid, int varid, int *quantize_modep, int *nsdp);
int frz_nc_def_var_szip(int ncid, int varid, int options_mask, int pixels_per_block);
int frz_nc_inq_var_szip(int ncid, int varid, int *options_maskp, int *pixels_per_blockp);
int frz_nc_def_var_zstandard(int ncid, int varid, int level);
int frz_nc_inq_var_zstandard(int ncid, int varid, int *hasfilterp, int *levelp);
int frz_nc_def_var_bzip2(int ncid, int varid, int level);
int frz_nc_inq_var_bzip2(int ncid, int varid, int *hasfilterp, int *levelp);
int frz_nc_def_var_blosc(int ncid, int varid, unsigned subcompressor, unsigned level, unsigned
    blocksize, unsigned addshuffle);
int frz_nc_inq_var_blosc(int ncid, int varid, int *hasfilterp, unsigned *subcompressorp, unsigned
    *levelp, unsigned *blocksizep, unsigned *addshufflep);
int frz_nc_def_var_filter(int ncid, int varid, unsigned int id, size_t nparams, const unsigned int
    *parms);
int frz_nc_inq_var_filter(int ncid, int varid, unsigned int *idp, size_t *nparams, unsigned int
    *params);
int frz_nc_inq_var_filter_ids(int ncid, int varid, size_t *nfilters, unsigned int *filterids);
int frz_nc_inq_var_filter_info(int ncid, int varid, unsigned int id, size_t *nparams, unsigned int
    *params);
int frz_nc_inq_filter_avail(int ncid, unsigned id);
int frz_nc_set_chunk_cache(size_t size, size_t nelems, float preemption);
int frz_nc_get_chunk_cache(size_t *sizep, size_t *nelemsp, float *preemptionp);
int frz_nc_set_var_chunk_cache(int ncid, int varid, size_t size, size_t nelems, float preemption);
int frz_nc_get_var_chunk_cache(int ncid, int varid, size_t *sizep, size_t *nelemsp, float
    *preemptionp);
int frz_nc_set_var_chunk_cache_ints(int ncid, int varid, int size, int nelems, int preemption);
int frz_nc_get_var_chunk_cache_ints(int ncid, int varid, int *sizep, int *nelemsp, int
    *preemptionp);
int frz_nc_inq_att(int ncid, int varid, const char *name, nc_type *xtypep, size_t *lenp);
int frz_nc_inq_attid(int ncid, int varid, const char *name, int *idp);
int frz_nc_inq_atttype(int ncid, int varid, const char *name, nc_type *xtypep);
int frz_nc_inq_attlen(int ncid, int varid, const char *name, size_t *lenp);
int frz_nc_inq_attname(int ncid, int varid, int attnum, char *name);
int frz_nc_copy_att(int ncid_in, int varid_in, const char *name, int ncid_out, int varid_out);
int frz_nc_rename_att(int ncid, int varid, const char *name, const char *newname);
int frz_nc_del_att(int ncid, int varid, const char *name);
int frz_nc_put_att(int ncid, int varid, const char *name, nc_type xtype, size_t len, const void
    *op);
int frz_nc_get_att(int ncid, int varid, const char *name, void *ip);
int frz_nc_free_string(size_t nelems, char **data);
int frz_nc_inq_type_equal(int ncid1, nc_type typeid1, int ncid2, nc_type typeid2, int *equal);
int frz_nc_reclaim_data(int ncid, nc_type xtypeid, void *memory, size_t nelems);
int frz_nc_reclaim_data_all(int ncid, nc_type xtypeid, void *memory, size_t nelems);
int frz_nc_copy_data(int ncid, nc_type xtypeid, const void *memory, size_t count, void *copy);
int frz_nc_def_compound(int ncid, size_t size, const char *name, nc_type *typeidp);
int frz_nc_insert_compound(int ncid, nc_type xtype, const char *name, size_t offset, nc_type
    field_typeid);
int frz_nc_insert_array_compound(int ncid, nc_type xtype, const char *name, size_t offset, nc_type
    field_typeid, int ndims, const int *dim_sizes);
int frz_nc_def_vlen(int ncid, const char *name, nc_type base_typeid, nc_type *xtypep);
int frz_nc_def_enum(int ncid, nc_type base_typeid, const char *name, nc_type *typeidp);
int frz_nc_insert_enum(int ncid, nc_type xtype, const char *name, const void *value);
int frz_nc_def_opaque(int ncid, size_t size, const char *name, nc_type *xtypep);
int frz_nc_inq_user_type(int ncid, nc_type xtype, char *name, size_t *size, nc_type *base_nc_typep,
    size_t *nfieldsp, int *classp);
int frz_nc_inq_compound(int ncid, nc_type xtype, char *name, size_t *sizep, size_t *nfieldsp);
int frz_nc_inq_compound_name(int ncid, nc_type xtype, char *name);
int frz_nc_inq_compound_size(int ncid, nc_type xtype, size_t *sizep);
int frz_nc_inq_compound_nfields(int ncid, nc_type xtype, size_t *nfieldsp);
int frz_nc_inq_compound_field(int ncid, nc_type xtype, int fieldid, char *name, size_t *offsetp,
    nc_type *field_typeidp, int *ndimsp, int *dim_sizesp);
int frz_nc_inq_compound_fieldname(int ncid, nc_type xtype, int fieldid, char *name);
int frz_nc_inq_compound_fieldindex(int ncid, nc_type xtype, const char *name, int *fieldidp);
int frz_nc_inq_compound_fieldoffset(int ncid, nc_type xtype, int fieldid, size_t *offsetp);
int frz_nc_inq_compound_fieldtype(int ncid, nc_type xtype, int fieldid, nc_type *field_typeidp);
int frz_nc_inq_compound_fieldndims(int ncid, nc_type xtype, int fieldid, int *ndimsp);
int frz_nc_inq_compound_fielddim_sizes(int ncid, nc_type xtype, int fieldid, int *dim_sizes);
int frz_nc_inq_vlen(int ncid, nc_type xtype, char *name, size_t *datum_sizep, nc_type
    *base_nc_typep);
int frz_nc_inq_opaque(int ncid, nc_type xtype, char *name, size_t *sizep);
int frz_nc_inq_enum(int ncid, nc_type xtype, char *name, nc_type *base_nc_typep, size_t
    *base_sizep, size_t *num_membersp);
int frz_nc_inq_enum_member(int ncid, nc_type xtype, int idx, char *name, void *value);
int frz_nc_inq_enum_ident(int ncid, nc_type xtype, long long value, char *identifier);
int frz_nc_put_vlen_element(int ncid, int typeid1, void *vlen_element, size_t len, const void
    *data);
int frz_nc_get_vlen_element(int ncid, int typeid1, const void *vlen_element, size_t *len, void
    *data);
int frz_nc_free_vlen(nc_vlen_t *vl);
int frz_nc_free_vlens(size_t len, nc_vlen_t vlens[]);
int frz_nc_copy_data_all(int ncid, nc_type xtypeid, const void *memory, size_t count, void
    **copyp);
int frz_nc_put_att_text(int ncid, int varid, const char *name, size_t len, const char *op);
int frz_nc_get_att_text(int ncid, int varid, const char *name, char *ip);
int frz_nc_put_att_schar(int ncid, int varid, const char *name, nc_type xtype, size_t len, const
    signed char *op);
int frz_nc_get_att_schar(int ncid, int varid, const char *name, signed char *ip);
int frz_nc_put_att_uchar(int ncid, int varid, const char *name, nc_type xtype, size_t len, const
    unsigned char *op);
int frz_nc_get_att_uchar(int ncid, int varid, const char *name, unsigned char *ip);
int frz_nc_put_att_short(int ncid, int varid, const char *name, nc_type xtype, size_t len, const
    short *op);
int frz_nc_get_att_short(int ncid, int varid, const char *name, short *ip);
int frz_nc_put_att_int(int ncid, int varid, const char *name, nc_type xtype, size_t len, const int
    *op);
int frz_nc_get_att_int(int ncid, int varid, const char *name, int *ip);
int frz_nc_put_att_long(int ncid, int varid, const char *name, nc_type xtype, size_t len, const
    long *op);
int frz_nc_get_att_long(int ncid, int varid, const char *name, long *ip);
int frz_nc_put_att_float(int ncid, int varid, const char *name, nc_type xtype, size_t len, const
    float *op);
int frz_nc_get_att_float(int ncid, int varid, const char *name, float *ip);
int frz_nc_put_att_double(int ncid, int varid, const char *name, nc_type xtype, size_t len, const
    double *op);
int frz_nc_get_att_double(int ncid, int varid, const char *name, double *ip);
int frz_nc_put_att_ubyte(int ncid, int varid, const char *name, nc_type xtype, size_t len, const
    unsigned char *op);
int frz_nc_get_att_ubyte(int ncid, int varid, const char *name, unsigned char *ip);
int frz_nc_put_att_ushort(int ncid, int varid, const char *name, nc_type xtype, size_t len, const
    unsigned short *op);
int frz_nc_get_att_ushort(int ncid, int varid, const char *name, unsigned short *ip);
int frz_nc_put_att_uint(int ncid, int varid, const char *name, nc_type xtype, size_t len, const
    unsigned int *op);
int frz_nc_get_att_uint(int ncid, int varid, const char *name, unsigned int *ip);
int frz_nc_put_att_longlong(int ncid, int varid, const char *name, nc_type xtype, size_t len, const
    long long *op);
int frz_nc_get_att_longlong(int ncid, int varid, const char *name, long long *ip);
int frz_nc_put_att_ulonglong(int ncid, int varid, const char *name, nc_type xtype, size_t len,
    const unsigned long long *op);
int frz_nc_get_att_ulonglong(int ncid, int varid, const char *name, unsigned long long *ip);
int frz_nc_put_att_string(int ncid, int varid, const char *name, size_t len, const char **op);
int frz_nc_get_att_string(int ncid, int varid, const char *name, char **ip);
int frz_nc_put_var1(int ncid, int varid, const size_t *indexp, const void *op);
int frz_nc_get_var1(int ncid, int varid, const size_t *indexp, void *ip);
int frz_nc_put_var1_text(int ncid, int varid, const size_t *indexp, const char *op);
int frz_nc_get_var1_text(int ncid, int varid, const size_t *indexp, char *ip);
int frz_nc_put_var1_schar(int ncid, int varid, const size_t *indexp, const signed char *op);
int frz_nc_get_var1_schar(int ncid, int varid, const size_t *indexp, signed char *ip);
int frz_nc_put_var1_uchar(int ncid, int varid, const size_t *indexp, const unsigned char *op);
int frz_nc_get_var1_uchar(int ncid, int varid, const size_t *indexp, unsigned char *ip);
int frz_nc_put_var1_short(int ncid, int varid, const size_t *indexp, const short *op);
int frz_nc_get_var1_short(int ncid, int varid, const size_t *indexp, short *ip);
int frz_nc_put_var1_int(int ncid, int varid, const size_t *indexp, const int *op);
int frz_nc_get_var1_int(int ncid, int varid, const size_t *indexp, int *ip);
int frz_nc_put_var1_long(int ncid, int varid, const size_t *indexp, const long *op);
int frz_nc_get_var1_long(int ncid, int varid, const size_t *indexp, long *ip);
int frz_nc_put_var1_float(int ncid, int varid, const size_t *indexp, const float *op);
int frz_nc_get_var1_float(int ncid, int varid, const size_t *indexp, float *ip);
int frz_nc_put_var1_double(int ncid, int varid, const size_t *indexp, const double *op);
int frz_nc_get_var1_double(int ncid, int varid, const size_t *indexp, double *ip);
int frz_nc_put_var1_ubyte(int ncid, int varid, const size_t *indexp, const unsigned char *op);
int frz_nc_get_var1_ubyte(int ncid, int varid, const size_t *indexp, unsigned char *ip);
int frz_nc_put_var1_ushort(int ncid, int varid, const size_t *indexp, const unsigned short *op);
int frz_nc_get_var1_ushort(int ncid, int varid, const size_t *indexp, unsigned short *ip);
int frz_nc_put_var1_uint(int ncid, int varid, const size_t *indexp, const unsigned int *op);
int frz_nc_get_var1_uint(int ncid, int varid, const size_t *indexp, unsigned int *ip);
int frz_nc_put_var1_longlong(int ncid, int varid, const size_t *indexp, const long long *op);
int frz_nc_get_var1_longlong(int ncid, int varid, const size_t *indexp, long long *ip);
int frz_nc_put_var1_ulonglong(int ncid, int varid, const size_t *indexp, const unsigned long long
    *op);
int frz_nc_get_var1_ulonglong(int ncid, int varid, const size_t *indexp, unsigned long long *ip);
int frz_nc_put_var1_string(int ncid, int varid, const size_t *indexp, const char **op);
int frz_nc_get_var1_string(int ncid, int varid, const size_t *indexp, char **ip);
int frz_nc_put_vara(int ncid, int varid, const size_t *startp, const size_t *countp, const void
    *op);
int frz_nc_get_vara(int ncid, int varid, const size_t *startp, const size_t *countp, void *ip);
int frz_nc_put_vara_text(int ncid, int varid, const size_t *startp, const size_t *countp, const
    char *op);
int frz_nc_get_vara_text(int ncid, int varid, const size_t *startp, const size_t *countp, char
    *ip);
int frz_nc_put_vara_schar(int ncid, int varid, const size_t *startp, const size_t *countp, const
    signed char *op);
int frz_nc_get_vara_schar(int ncid, int varid, const size_t *startp, const size_t *countp, signed
    char *ip);
int frz_nc_put_vara_uchar(int ncid, int varid, const size_t *startp, const size_t *countp, const
    unsigned char *op);
int frz_nc_get_vara_uchar(int ncid, int varid, const size_t *startp, const size_t *countp, unsigned
    char *ip);
int frz_nc_put_vara_short(int ncid, int varid, const size_t *startp, const size_t *countp, const
    short *op);
int frz_nc_get_vara_short(int ncid, int varid, const size_t *startp, const size_t *countp, short
    *ip);
int frz_nc_put_vara_int(int ncid, int varid, const size_t *startp, const size_t *countp, const int
    *op);
int frz_nc_get_vara_int(int ncid, int varid, const size_t *startp, const size_t *countp, int *ip);
int frz_nc_put_vara_long(int ncid, int varid, const size_t *startp, const size_t *countp, const
    long *op);
int frz_nc_get_vara_long(int ncid, int varid, const size_t *startp, const size_t *countp, long
    *ip);
int frz_nc_put_vara_float(int ncid, int varid, const size_t *startp, const size_t *countp, const
    float *op);
int frz_nc_get_vara_float(int ncid, int varid, const size_t *startp, const size_t *countp, float
    *ip);
int frz_nc_put_vara_double(int ncid, int varid, const size_t *startp, const size_t *countp, const
    double *op);
int frz_nc_get_vara_double(int ncid, int varid, const size_t *startp, const size_t *countp, double
    *ip);
int frz_nc_put_vara_ubyte(int ncid, int varid, const size_t *startp, const size_t *countp, const
    unsigned char *op);
int frz_nc_get_vara_ubyte(int ncid, int varid, const size_t *startp, const size_t *countp, unsigned
    char *ip);
int frz_nc_put_vara_ushort(int ncid, int varid, const size_t *startp, const size_t *countp, const
    unsigned short *op);
int frz_nc_get_vara_ushort(int ncid, int varid, const size_t *startp, const size_t *countp,
    unsigned short *ip);
int frz_nc_put_vara_uint(int ncid, int varid, const size_t *startp, const size_t *countp, const
    unsigned int *op);
int frz_nc_get_vara_uint(int ncid, int varid, const size_t *startp, const size_t *countp, unsigned
    int *ip);
int frz_nc_put_vara_longlong(int ncid, int varid, const size_t *startp, const size_t *countp, const
    long long *op);
int frz_nc_get_vara_longlong(int ncid, int varid, const size_t *startp, const size_t *countp, long
    long *ip);
int frz_nc_put_vara_ulonglong(int ncid, int varid, const size_t *startp, const size_t *countp,
    const unsigned long long *op);
int frz_nc_get_vara_ulonglong(int ncid, int varid, const size_t *startp, const size_t *countp,
    unsigned long long *ip);
int frz_nc_put_vara_string(int ncid, int varid, const size_t *startp, const size_t *countp, const
    char **op);
int frz_nc_get_vara_string(int ncid, int varid, const size_t *startp, const size_t *countp, char
    **ip);
int frz_nc_put_vars(int ncid, int varid, const size_t *startp, const size_t *countp, const
    ptrdiff_t *stridep, const void *op);
int frz_nc_get_vars(int ncid, int varid, const size_t *startp, const size_t *countp, const
    ptrdiff_t *stridep, void *ip);
int frz_nc_put_vars_text(int ncid, int varid, const size_t *startp, const size_t *countp, const
    ptrdiff_t *stridep, const char *op);
int frz_nc_get_vars_text(int ncid, int varid, const size_t *startp, const size_t *countp, const
    ptrdiff_t *stridep, char *ip);
int frz_nc_put_vars_schar(int ncid, int varid, const size_t *startp, const size_t *countp, const
    ptrdiff_t *stridep, const signed char *op);
int frz_nc_get_vars_schar(int ncid, int varid, const size_t *startp, const size_t *countp, const
    ptrdiff_t *stridep, signed char *ip);
int frz_nc_put_vars_uchar(int ncid, int varid, const size_t *startp, const size_t *countp, const
    ptrdiff_t *stridep, const unsigned char *op);
int frz_nc_get_vars_uchar(int ncid, int varid, const size_t *startp, const size_t *countp, const
    ptrdiff_t *stridep, unsigned char *ip);
int frz_nc_put_vars_short(int ncid, int varid, const size_t *startp, const size_t *countp, const
    ptrdiff_t *stridep, const short *op);
int frz_nc_get_vars_short(int ncid, int varid, const size_t *startp, const size_t *countp, const
    ptrdiff_t *stridep, short *ip);
int frz_nc_put_vars_int(int ncid, int varid, const size_t *startp, const size_t *countp, const
    ptrdiff_t *stridep, const int *op);
int frz_nc_get_vars_int(int ncid, int varid, const size_t *startp, const size_t *countp, const
    ptrdiff_t *stridep, int *ip);
int frz_nc_put_vars_long(int ncid, int varid, const size_t *startp, const size_t *countp, const
    ptrdiff_t *stridep, const long *op);
int frz_nc_get_vars_long(int ncid, int varid, const size_t *startp, const size_t *countp, const
    ptrdiff_t *stridep, long *ip);
int frz_nc_put_vars_float(int ncid, int varid, const size_t *startp, const size_t *countp, const
    ptrdiff_t *stridep, const float *op);
int frz_nc_get_vars_float(int ncid, int varid, const size_t *startp, const size_t *countp, const
    ptrdiff_t *stridep, float *ip);
int frz_nc_put_vars_double(int ncid, int varid, const size_t *startp, const size_t *countp, const
    ptrdiff_t *stridep, const double *op);
int frz_nc_get_vars_double(int ncid, int varid, const size_t *startp, const size_t *countp, const
    ptrdiff_t *stridep, double *ip);
int frz_nc_put_vars_ubyte(int ncid, int varid, const size_t *startp, const size_t *countp, const
    ptrdiff_t *stridep, const unsigned char *op);
int frz_nc_get_vars_ubyte(int ncid, int varid, const size_t *startp, const size_t *countp, const
    ptrdiff_t *stridep, unsigned char *ip);
int frz_nc_put_vars_ushort(int ncid, int varid, const size_t *startp, const size_t *countp, const
    ptrdiff_t *stridep, const unsigned short *op);
int frz_nc_get_vars_ushort(int ncid, int varid, const size_t *startp, const size_t *countp, const
    ptrdiff_t *stridep, unsigned short *ip);
int frz_nc_put_vars_uint(int ncid, int varid, const size_t *startp, const size_t *countp, const
    ptrdiff_t *stridep, const unsigned int *op);
int frz_nc_get_vars_uint(int ncid, int varid, const size_t *startp, const size_t *countp, const
    ptrdiff_t *stridep, unsigned int *ip);
int frz_nc_put_vars_longlong(int ncid, int varid, const size_t *startp, const size_t *countp, const
    ptrdiff_t *stridep, const long long *op);
int frz_nc_get_vars_longlong(int ncid, int varid, const size_t *startp, const size_t *countp, const
    ptrdiff_t *stridep, long long *ip);
int frz_nc_put_vars_ulonglong(int ncid, int varid, const size_t *startp, const size_t *countp,
    const ptrdiff_t *stridep, const unsigned long long *op);
int frz_nc_get_vars_ulonglong(int ncid, int varid, const size_t *startp, const size_t *countp,
    const ptrdiff_t *stridep, unsigned long long *ip);
int frz_nc_put_vars_string(int ncid, int varid, const size_t *startp, const size_t *countp, const
    ptrdiff_t *stridep, const char **op);
int frz_nc_get_vars_string(int ncid, int varid, const size_t *startp, const size_t *countp, const
    ptrdiff_t *stridep, char **ip);
int frz_nc_put_varm(int ncid, int varid, const size_t *startp, const size_t *countp, const
    ptrdiff_t *stridep, const ptrdiff_t *imapp, const void *op);
int frz_nc_get_varm(int ncid, int varid, const size_t *startp, const size_t *countp, const
    ptrdiff_t *stridep, const ptrdiff_t *imapp, void *ip);
int frz_nc_put_varm_text(int ncid, int varid, const size_t *startp, const size_t *countp, const
    ptrdiff_t *stridep, const ptrdiff_t *imapp, const char *op);
int frz_nc_get_varm_text(int ncid, int varid, const size_t *startp, const size_t *countp, const
    ptrdiff_t *stridep, const ptrdiff_t *imapp, char *ip);
int frz_nc_put_varm_schar(int ncid, int varid, const size_t *startp, const size_t *countp, const
    ptrdiff_t *stridep, const ptrdiff_t *imapp, const signed char *op);
int frz_nc_get_varm_schar(int ncid, int varid, const size_t *startp, const size_t *countp, const
    ptrdiff_t *stridep, const ptrdiff_t *imapp, signed char *ip);
int frz_nc_put_varm_uchar(int ncid, int varid, const size_t *startp, const size_t *countp, const
    ptrdiff_t *stridep, const ptrdiff_t *imapp, const unsigned char *op);
int frz_nc_get_varm_uchar(int ncid, int varid, const size_t *startp, const size_t *countp, const
    ptrdiff_t *stridep, const ptrdiff_t *imapp, unsigned char *ip);
int frz_nc_put_varm_short(int ncid, int varid, const size_t *startp, const size_t *countp, const
    ptrdiff_t *stridep, const ptrdiff_t *imapp, const short *op);
int frz_nc_get_varm_short(int ncid, int varid, const size_t *startp, const size_t *countp, const
    ptrdiff_t *stridep, const ptrdiff_t *imapp, short *ip);
int frz_nc_put_varm_int(int ncid, int varid, const size_t *startp, const size_t *countp, const
    ptrdiff_t *stridep, const ptrdiff_t *imapp, const int *op);
int frz_nc_get_varm_int(int ncid, int varid, const size_t *startp, const size_t *countp, const
    ptrdiff_t *stridep, const ptrdiff_t *imapp, int *ip);
int frz_nc_put_varm_long(int ncid, int varid, const size_t *startp, const size_t *countp, const
    ptrdiff_t *stridep, const ptrdiff_t *imapp, const long *op);
int frz_nc_get_varm_long(int ncid, int varid, const size_t *startp, const size_t *countp, const
    ptrdiff_t *stridep, const ptrdiff_t *imapp, long *ip);
int frz_nc_put_varm_float(int ncid, int varid, const size_t *startp, const size_t *countp, const
    ptrdiff_t *stridep, const ptrdiff_t *imapp, const float *op);
int frz_nc_get_varm_float(int ncid, int varid, const size_t *startp, const size_t *countp, const
    ptrdiff_t *stridep, const ptrdiff_t *imapp, float *ip);
int frz_nc_put_varm_double(int ncid, int varid, const size_t *startp, const size_t *countp, const
    ptrdiff_t *stridep, const ptrdiff_t *imapp, const double *op);
int frz_nc_get_varm_double(int ncid, int varid, const size_t *startp, const size_t *countp, const
    ptrdiff_t *stridep, const ptrdiff_t *imapp, double *ip);
int frz_nc_put_varm_ubyte(int ncid, int varid, const size_t *startp, const size_t *countp, const
    ptrdiff_t *stridep, const ptrdiff_t *imapp, const unsigned char *op);
int frz_nc_get_varm_ubyte(int ncid, int varid, const size_t *startp, const size_t *countp, const
    ptrdiff_t *stridep, const ptrdiff_t *imapp, unsigned char *ip);
int frz_nc_put_varm_ushort(int ncid, int varid, const size_t *startp, const size_t *countp, const
    ptrdiff_t *stridep, const ptrdiff_t *imapp, const unsigned short *op);
int frz_nc_get_varm_ushort(int ncid, int varid, const size_t *startp, const size_t *countp, const
    ptrdiff_t *stridep, const ptrdiff_t *imapp, unsigned short *ip);
int frz_nc_put_varm_uint(int ncid, int varid, const size_t *startp, const size_t *countp, const
    ptrdiff_t *stridep, const ptrdiff_t *imapp, const unsigned int *op);
int frz_nc_get_varm_uint(int ncid, int varid, const size_t *startp, const size_t *countp, const
    ptrdiff_t *stridep, const ptrdiff_t *imapp, unsigned int *ip);
int frz_nc_put_varm_longlong(int ncid, int varid, const size_t *startp, const size_t *countp, const
    ptrdiff_t *stridep, const ptrdiff_t *imapp, const long long *op);
int frz_nc_get_varm_longlong(int ncid, int varid, const size_t *startp, const size_t *countp, const
    ptrdiff_t *stridep, const ptrdiff_t *imapp, long long *ip);
int frz_nc_put_varm_ulonglong(int ncid, int varid, const size_t *startp, const size_t *countp,
    const ptrdiff_t *stridep, const ptrdiff_t *imapp, const unsigned long long *op);
int frz_nc_get_varm_ulonglong(int ncid, int varid, const size_t *startp, const size_t *countp,
    const ptrdiff_t *stridep, const ptrdiff_t *imapp, unsigned long long *ip);
int frz_nc_put_varm_string(int ncid, int varid, const size_t *startp, const size_t *countp, const
    ptrdiff_t *stridep, const ptrdiff_t *imapp, const char **op);
int frz_nc_get_varm_string(int ncid, int varid, const size_t *startp, const size_t *countp, const
    ptrdiff_t *stridep, const ptrdiff_t *imapp, char **ip);
int frz_nc_put_var(int ncid, int varid, const void *op);
int frz_nc_get_var(int ncid, int varid, void *ip);
int frz_nc_put_var_text(int ncid, int varid, const char *op);
int frz_nc_get_var_text(int ncid, int varid, char *ip);
int frz_nc_put_var_schar(int ncid, int varid, const signed char *op);
int frz_nc_get_var_schar(int ncid, int varid, signed char *ip);
int frz_nc_put_var_uchar(int ncid, int varid, const unsigned char *op);
int frz_nc_get_var_uchar(int ncid, int varid, unsigned char *ip);
int frz_nc_put_var_short(int ncid, int varid, const short *op);
int frz_nc_get_var_short(int ncid, int varid, short *ip);
int frz_nc_put_var_int(int ncid, int varid, const int *op);
int frz_nc_get_var_int(int ncid, int varid, int *ip);
int frz_nc_put_var_long(int ncid, int varid, const long *op);
int frz_nc_get_var_long(int ncid, int varid, long *ip);
int frz_nc_put_var_float(int ncid, int varid, const float *op);
int frz_nc_get_var_float(int ncid, int varid, float *ip);
int frz_nc_put_var_double(int ncid, int varid, const double *op);
int frz_nc_get_var_double(int ncid, int varid, double *ip);
int frz_nc_put_var_ubyte(int ncid, int varid, const unsigned char *op);
int frz_nc_get_var_ubyte(int ncid, int varid, unsigned char *ip);
int frz_nc_put_var_ushort(int ncid, int varid, const unsigned short *op);
int frz_nc_get_var_ushort(int ncid, int varid, unsigned short *ip);
int frz_nc_put_var_uint(int ncid, int varid, const unsigned int *op);
int frz_nc_get_var_uint(int ncid, int varid, unsigned int *ip);
int frz_nc_put_var_longlong(int ncid, int varid, const long long *op);
int frz_nc_get_var_longlong(int ncid, int varid, long long *ip);
int frz_nc_put_var_ulonglong(int ncid, int varid, const unsigned long long *op);
int frz_nc_get_var_ulonglong(int ncid, int varid, unsigned long long *ip);
int frz_nc_put_var_string(int ncid, int varid, const char **op);
int frz_nc_get_var_string(int ncid, int varid, char **ip);

/** Writes a slab from an array that lies in memory as `imapp` says, in elements; NULL: row-major.
 *
 * `start`, `count` and `stride` may be NULL: the origin, all of the variable, every element.
 * `memtype` is the type of the values in memory, NC_BYTE to NC_UINT64, or NC_NAT: the variable's.
 */
int frz_nc_put_array(int ncid, int varid, const size_t *start, const size_t *count,
    const ptrdiff_t *stride, const ptrdiff_t *imap, const void *data, int memtype);

/** Writes one value of the variable's own type at `index`, which has `rank` numbers, if there is a
 * short way to it: `*done` becomes 1. Else it becomes 0 and nothing is done: frz_nc_put_array can do
 * it or says why not.
 */
int frz_nc_put_element(int ncid, int varid, size_t rank, const size_t *index, const void *data,
    int memtype, int *done);

/** Reads a slab; the arguments are those of frz_nc_put_array. */
int frz_nc_get_array(int ncid, int varid, const size_t *start, const size_t *count,
    const ptrdiff_t *stride, const ptrdiff_t *imap, void *data, int memtype);

/** As frz_nc_close. What the writer did goes into `report`, a frz_report of frazil.h whose `size_bytes`
 * is set; it is left alone where frazil did not write the file.
 */
int frz_nc_close_reporting(int ncid, void *report);

/** As frz_nc_abort; where that closes the file, what the writer did goes into `report` as above. */
int frz_nc_abort_reporting(int ncid, void *report);

/** Lets go of a file at its last commit, whatever mode it is in; a new file without a commit is removed. */
int frz_nc_discard(int ncid);

/** Has `listener` called for each file that the end of the program closes: with its path, a
 * frz_report of frazil.h, and the status. It may be set once.
 */
int frz_nc_report_at_exit(void (*listener)(const char *path, const void *report, int status));

#ifdef __cplusplus
}
#endif

/* netCDF's own names. */
#ifdef FRAZIL_NETCDF_NAMES

#define nc_inq_libvers frz_nc_inq_libvers
#define nc_strerror frz_nc_strerror
#define nc__create frz_nc__create
#define nc_create frz_nc_create
#define nc__open frz_nc__open
#define nc_open frz_nc_open
#define nc_set_fill frz_nc_set_fill
#define nc_set_default_format frz_nc_set_default_format
#define nc_redef frz_nc_redef
#define nc__enddef frz_nc__enddef
#define nc_enddef frz_nc_enddef
#define nc_sync frz_nc_sync
#define nc_abort frz_nc_abort
#define nc_close frz_nc_close
#define nc_delete frz_nc_delete
#define nc_inq_path frz_nc_inq_path
#define nc_inq frz_nc_inq
#define nc_inq_ndims frz_nc_inq_ndims
#define nc_inq_nvars frz_nc_inq_nvars
#define nc_inq_natts frz_nc_inq_natts
#define nc_inq_unlimdim frz_nc_inq_unlimdim
#define nc_inq_unlimdims frz_nc_inq_unlimdims
#define nc_inq_format frz_nc_inq_format
#define nc_inq_format_extended frz_nc_inq_format_extended
#define nc_inq_ncid frz_nc_inq_ncid
#define nc_inq_grps frz_nc_inq_grps
#define nc_inq_grpname frz_nc_inq_grpname
#define nc_inq_grpname_full frz_nc_inq_grpname_full
#define nc_inq_grpname_len frz_nc_inq_grpname_len
#define nc_inq_grp_parent frz_nc_inq_grp_parent
#define nc_inq_grp_ncid frz_nc_inq_grp_ncid
#define nc_inq_grp_full_ncid frz_nc_inq_grp_full_ncid
#define nc_inq_varids frz_nc_inq_varids
#define nc_inq_dimids frz_nc_inq_dimids
#define nc_inq_typeids frz_nc_inq_typeids
#define nc_inq_type frz_nc_inq_type
#define nc_inq_typeid frz_nc_inq_typeid
#define nc_def_grp frz_nc_def_grp
#define nc_rename_grp frz_nc_rename_grp
#define nc_def_dim frz_nc_def_dim
#define nc_inq_dimid frz_nc_inq_dimid
#define nc_inq_dim frz_nc_inq_dim
#define nc_inq_dimname frz_nc_inq_dimname
#define nc_inq_dimlen frz_nc_inq_dimlen
#define nc_rename_dim frz_nc_rename_dim
#define nc_def_var frz_nc_def_var
#define nc_inq_var frz_nc_inq_var
#define nc_inq_varid frz_nc_inq_varid
#define nc_inq_varname frz_nc_inq_varname
#define nc_inq_vartype frz_nc_inq_vartype
#define nc_inq_varndims frz_nc_inq_varndims
#define nc_inq_vardimid frz_nc_inq_vardimid
#define nc_inq_varnatts frz_nc_inq_varnatts
#define nc_rename_var frz_nc_rename_var
#define nc_def_var_deflate frz_nc_def_var_deflate
#define nc_inq_var_deflate frz_nc_inq_var_deflate
#define nc_def_var_fletcher32 frz_nc_def_var_fletcher32
#define nc_inq_var_fletcher32 frz_nc_inq_var_fletcher32
#define nc_def_var_chunking frz_nc_def_var_chunking
#define nc_inq_var_chunking frz_nc_inq_var_chunking
#define nc_def_var_chunking_ints frz_nc_def_var_chunking_ints
#define nc_inq_var_chunking_ints frz_nc_inq_var_chunking_ints
#define nc_def_var_fill frz_nc_def_var_fill
#define nc_inq_var_fill frz_nc_inq_var_fill
#define nc_def_var_endian frz_nc_def_var_endian
#define nc_inq_var_endian frz_nc_inq_var_endian
#define nc_def_var_quantize frz_nc_def_var_quantize
#define nc_inq_var_quantize frz_nc_inq_var_quantize
#define nc_def_var_szip frz_nc_def_var_szip
#define nc_inq_var_szip frz_nc_inq_var_szip
#define nc_def_var_zstandard frz_nc_def_var_zstandard
#define nc_inq_var_zstandard frz_nc_inq_var_zstandard
#define nc_def_var_bzip2 frz_nc_def_var_bzip2
#define nc_inq_var_bzip2 frz_nc_inq_var_bzip2
#define nc_def_var_blosc frz_nc_def_var_blosc
#define nc_inq_var_blosc frz_nc_inq_var_blosc
#define nc_def_var_filter frz_nc_def_var_filter
#define nc_inq_var_filter frz_nc_inq_var_filter
#define nc_inq_var_filter_ids frz_nc_inq_var_filter_ids
#define nc_inq_var_filter_info frz_nc_inq_var_filter_info
#define nc_inq_filter_avail frz_nc_inq_filter_avail
#define nc_set_chunk_cache frz_nc_set_chunk_cache
#define nc_get_chunk_cache frz_nc_get_chunk_cache
#define nc_set_var_chunk_cache frz_nc_set_var_chunk_cache
#define nc_get_var_chunk_cache frz_nc_get_var_chunk_cache
#define nc_set_var_chunk_cache_ints frz_nc_set_var_chunk_cache_ints
#define nc_get_var_chunk_cache_ints frz_nc_get_var_chunk_cache_ints
#define nc_inq_att frz_nc_inq_att
#define nc_inq_attid frz_nc_inq_attid
#define nc_inq_atttype frz_nc_inq_atttype
#define nc_inq_attlen frz_nc_inq_attlen
#define nc_inq_attname frz_nc_inq_attname
#define nc_copy_att frz_nc_copy_att
#define nc_rename_att frz_nc_rename_att
#define nc_del_att frz_nc_del_att
#define nc_put_att frz_nc_put_att
#define nc_get_att frz_nc_get_att
#define nc_free_string frz_nc_free_string
#define nc_inq_type_equal frz_nc_inq_type_equal
#define nc_reclaim_data frz_nc_reclaim_data
#define nc_reclaim_data_all frz_nc_reclaim_data_all
#define nc_copy_data frz_nc_copy_data
#define nc_def_compound frz_nc_def_compound
#define nc_insert_compound frz_nc_insert_compound
#define nc_insert_array_compound frz_nc_insert_array_compound
#define nc_def_vlen frz_nc_def_vlen
#define nc_def_enum frz_nc_def_enum
#define nc_insert_enum frz_nc_insert_enum
#define nc_def_opaque frz_nc_def_opaque
#define nc_inq_user_type frz_nc_inq_user_type
#define nc_inq_compound frz_nc_inq_compound
#define nc_inq_compound_name frz_nc_inq_compound_name
#define nc_inq_compound_size frz_nc_inq_compound_size
#define nc_inq_compound_nfields frz_nc_inq_compound_nfields
#define nc_inq_compound_field frz_nc_inq_compound_field
#define nc_inq_compound_fieldname frz_nc_inq_compound_fieldname
#define nc_inq_compound_fieldindex frz_nc_inq_compound_fieldindex
#define nc_inq_compound_fieldoffset frz_nc_inq_compound_fieldoffset
#define nc_inq_compound_fieldtype frz_nc_inq_compound_fieldtype
#define nc_inq_compound_fieldndims frz_nc_inq_compound_fieldndims
#define nc_inq_compound_fielddim_sizes frz_nc_inq_compound_fielddim_sizes
#define nc_inq_vlen frz_nc_inq_vlen
#define nc_inq_opaque frz_nc_inq_opaque
#define nc_inq_enum frz_nc_inq_enum
#define nc_inq_enum_member frz_nc_inq_enum_member
#define nc_inq_enum_ident frz_nc_inq_enum_ident
#define nc_put_vlen_element frz_nc_put_vlen_element
#define nc_get_vlen_element frz_nc_get_vlen_element
#define nc_free_vlen frz_nc_free_vlen
#define nc_free_vlens frz_nc_free_vlens
#define nc_copy_data_all frz_nc_copy_data_all
#define nc_put_att_text frz_nc_put_att_text
#define nc_get_att_text frz_nc_get_att_text
#define nc_put_att_schar frz_nc_put_att_schar
#define nc_get_att_schar frz_nc_get_att_schar
#define nc_put_att_uchar frz_nc_put_att_uchar
#define nc_get_att_uchar frz_nc_get_att_uchar
#define nc_put_att_short frz_nc_put_att_short
#define nc_get_att_short frz_nc_get_att_short
#define nc_put_att_int frz_nc_put_att_int
#define nc_get_att_int frz_nc_get_att_int
#define nc_put_att_long frz_nc_put_att_long
#define nc_get_att_long frz_nc_get_att_long
#define nc_put_att_float frz_nc_put_att_float
#define nc_get_att_float frz_nc_get_att_float
#define nc_put_att_double frz_nc_put_att_double
#define nc_get_att_double frz_nc_get_att_double
#define nc_put_att_ubyte frz_nc_put_att_ubyte
#define nc_get_att_ubyte frz_nc_get_att_ubyte
#define nc_put_att_ushort frz_nc_put_att_ushort
#define nc_get_att_ushort frz_nc_get_att_ushort
#define nc_put_att_uint frz_nc_put_att_uint
#define nc_get_att_uint frz_nc_get_att_uint
#define nc_put_att_longlong frz_nc_put_att_longlong
#define nc_get_att_longlong frz_nc_get_att_longlong
#define nc_put_att_ulonglong frz_nc_put_att_ulonglong
#define nc_get_att_ulonglong frz_nc_get_att_ulonglong
#define nc_put_att_string frz_nc_put_att_string
#define nc_get_att_string frz_nc_get_att_string
#define nc_put_var1 frz_nc_put_var1
#define nc_get_var1 frz_nc_get_var1
#define nc_put_var1_text frz_nc_put_var1_text
#define nc_get_var1_text frz_nc_get_var1_text
#define nc_put_var1_schar frz_nc_put_var1_schar
#define nc_get_var1_schar frz_nc_get_var1_schar
#define nc_put_var1_uchar frz_nc_put_var1_uchar
#define nc_get_var1_uchar frz_nc_get_var1_uchar
#define nc_put_var1_short frz_nc_put_var1_short
#define nc_get_var1_short frz_nc_get_var1_short
#define nc_put_var1_int frz_nc_put_var1_int
#define nc_get_var1_int frz_nc_get_var1_int
#define nc_put_var1_long frz_nc_put_var1_long
#define nc_get_var1_long frz_nc_get_var1_long
#define nc_put_var1_float frz_nc_put_var1_float
#define nc_get_var1_float frz_nc_get_var1_float
#define nc_put_var1_double frz_nc_put_var1_double
#define nc_get_var1_double frz_nc_get_var1_double
#define nc_put_var1_ubyte frz_nc_put_var1_ubyte
#define nc_get_var1_ubyte frz_nc_get_var1_ubyte
#define nc_put_var1_ushort frz_nc_put_var1_ushort
#define nc_get_var1_ushort frz_nc_get_var1_ushort
#define nc_put_var1_uint frz_nc_put_var1_uint
#define nc_get_var1_uint frz_nc_get_var1_uint
#define nc_put_var1_longlong frz_nc_put_var1_longlong
#define nc_get_var1_longlong frz_nc_get_var1_longlong
#define nc_put_var1_ulonglong frz_nc_put_var1_ulonglong
#define nc_get_var1_ulonglong frz_nc_get_var1_ulonglong
#define nc_put_var1_string frz_nc_put_var1_string
#define nc_get_var1_string frz_nc_get_var1_string
#define nc_put_vara frz_nc_put_vara
#define nc_get_vara frz_nc_get_vara
#define nc_put_vara_text frz_nc_put_vara_text
#define nc_get_vara_text frz_nc_get_vara_text
#define nc_put_vara_schar frz_nc_put_vara_schar
#define nc_get_vara_schar frz_nc_get_vara_schar
#define nc_put_vara_uchar frz_nc_put_vara_uchar
#define nc_get_vara_uchar frz_nc_get_vara_uchar
#define nc_put_vara_short frz_nc_put_vara_short
#define nc_get_vara_short frz_nc_get_vara_short
#define nc_put_vara_int frz_nc_put_vara_int
#define nc_get_vara_int frz_nc_get_vara_int
#define nc_put_vara_long frz_nc_put_vara_long
#define nc_get_vara_long frz_nc_get_vara_long
#define nc_put_vara_float frz_nc_put_vara_float
#define nc_get_vara_float frz_nc_get_vara_float
#define nc_put_vara_double frz_nc_put_vara_double
#define nc_get_vara_double frz_nc_get_vara_double
#define nc_put_vara_ubyte frz_nc_put_vara_ubyte
#define nc_get_vara_ubyte frz_nc_get_vara_ubyte
#define nc_put_vara_ushort frz_nc_put_vara_ushort
#define nc_get_vara_ushort frz_nc_get_vara_ushort
#define nc_put_vara_uint frz_nc_put_vara_uint
#define nc_get_vara_uint frz_nc_get_vara_uint
#define nc_put_vara_longlong frz_nc_put_vara_longlong
#define nc_get_vara_longlong frz_nc_get_vara_longlong
#define nc_put_vara_ulonglong frz_nc_put_vara_ulonglong
#define nc_get_vara_ulonglong frz_nc_get_vara_ulonglong
#define nc_put_vara_string frz_nc_put_vara_string
#define nc_get_vara_string frz_nc_get_vara_string
#define nc_put_vars frz_nc_put_vars
#define nc_get_vars frz_nc_get_vars
#define nc_put_vars_text frz_nc_put_vars_text
#define nc_get_vars_text frz_nc_get_vars_text
#define nc_put_vars_schar frz_nc_put_vars_schar
#define nc_get_vars_schar frz_nc_get_vars_schar
#define nc_put_vars_uchar frz_nc_put_vars_uchar
#define nc_get_vars_uchar frz_nc_get_vars_uchar
#define nc_put_vars_short frz_nc_put_vars_short
#define nc_get_vars_short frz_nc_get_vars_short
#define nc_put_vars_int frz_nc_put_vars_int
#define nc_get_vars_int frz_nc_get_vars_int
#define nc_put_vars_long frz_nc_put_vars_long
#define nc_get_vars_long frz_nc_get_vars_long
#define nc_put_vars_float frz_nc_put_vars_float
#define nc_get_vars_float frz_nc_get_vars_float
#define nc_put_vars_double frz_nc_put_vars_double
#define nc_get_vars_double frz_nc_get_vars_double
#define nc_put_vars_ubyte frz_nc_put_vars_ubyte
#define nc_get_vars_ubyte frz_nc_get_vars_ubyte
#define nc_put_vars_ushort frz_nc_put_vars_ushort
#define nc_get_vars_ushort frz_nc_get_vars_ushort
#define nc_put_vars_uint frz_nc_put_vars_uint
#define nc_get_vars_uint frz_nc_get_vars_uint
#define nc_put_vars_longlong frz_nc_put_vars_longlong
#define nc_get_vars_longlong frz_nc_get_vars_longlong
#define nc_put_vars_ulonglong frz_nc_put_vars_ulonglong
#define nc_get_vars_ulonglong frz_nc_get_vars_ulonglong
#define nc_put_vars_string frz_nc_put_vars_string
#define nc_get_vars_string frz_nc_get_vars_string
#define nc_put_varm frz_nc_put_varm
#define nc_get_varm frz_nc_get_varm
#define nc_put_varm_text frz_nc_put_varm_text
#define nc_get_varm_text frz_nc_get_varm_text
#define nc_put_varm_schar frz_nc_put_varm_schar
#define nc_get_varm_schar frz_nc_get_varm_schar
#define nc_put_varm_uchar frz_nc_put_varm_uchar
#define nc_get_varm_uchar frz_nc_get_varm_uchar
#define nc_put_varm_short frz_nc_put_varm_short
#define nc_get_varm_short frz_nc_get_varm_short
#define nc_put_varm_int frz_nc_put_varm_int
#define nc_get_varm_int frz_nc_get_varm_int
#define nc_put_varm_long frz_nc_put_varm_long
#define nc_get_varm_long frz_nc_get_varm_long
#define nc_put_varm_float frz_nc_put_varm_float
#define nc_get_varm_float frz_nc_get_varm_float
#define nc_put_varm_double frz_nc_put_varm_double
#define nc_get_varm_double frz_nc_get_varm_double
#define nc_put_varm_ubyte frz_nc_put_varm_ubyte
#define nc_get_varm_ubyte frz_nc_get_varm_ubyte
#define nc_put_varm_ushort frz_nc_put_varm_ushort
#define nc_get_varm_ushort frz_nc_get_varm_ushort
#define nc_put_varm_uint frz_nc_put_varm_uint
#define nc_get_varm_uint frz_nc_get_varm_uint
#define nc_put_varm_longlong frz_nc_put_varm_longlong
#define nc_get_varm_longlong frz_nc_get_varm_longlong
#define nc_put_varm_ulonglong frz_nc_put_varm_ulonglong
#define nc_get_varm_ulonglong frz_nc_get_varm_ulonglong
#define nc_put_varm_string frz_nc_put_varm_string
#define nc_get_varm_string frz_nc_get_varm_string
#define nc_put_var frz_nc_put_var
#define nc_get_var frz_nc_get_var
#define nc_put_var_text frz_nc_put_var_text
#define nc_get_var_text frz_nc_get_var_text
#define nc_put_var_schar frz_nc_put_var_schar
#define nc_get_var_schar frz_nc_get_var_schar
#define nc_put_var_uchar frz_nc_put_var_uchar
#define nc_get_var_uchar frz_nc_get_var_uchar
#define nc_put_var_short frz_nc_put_var_short
#define nc_get_var_short frz_nc_get_var_short
#define nc_put_var_int frz_nc_put_var_int
#define nc_get_var_int frz_nc_get_var_int
#define nc_put_var_long frz_nc_put_var_long
#define nc_get_var_long frz_nc_get_var_long
#define nc_put_var_float frz_nc_put_var_float
#define nc_get_var_float frz_nc_get_var_float
#define nc_put_var_double frz_nc_put_var_double
#define nc_get_var_double frz_nc_get_var_double
#define nc_put_var_ubyte frz_nc_put_var_ubyte
#define nc_get_var_ubyte frz_nc_get_var_ubyte
#define nc_put_var_ushort frz_nc_put_var_ushort
#define nc_get_var_ushort frz_nc_get_var_ushort
#define nc_put_var_uint frz_nc_put_var_uint
#define nc_get_var_uint frz_nc_get_var_uint
#define nc_put_var_longlong frz_nc_put_var_longlong
#define nc_get_var_longlong frz_nc_get_var_longlong
#define nc_put_var_ulonglong frz_nc_put_var_ulonglong
#define nc_get_var_ulonglong frz_nc_get_var_ulonglong
#define nc_put_var_string frz_nc_put_var_string
#define nc_get_var_string frz_nc_get_var_string

#endif /* FRAZIL_NETCDF_NAMES */

#endif /* FRAZIL_NETCDF_H */
