!> The nf90 parameters, with the values that netCDF gives them.
module frazil_netcdf_parameters
  use typesizes, only: OneByteInt, TwoByteInt, FourByteInt, EightByteInt, FourByteReal, EightByteReal
  implicit none
  public
  private :: OneByteInt, TwoByteInt, FourByteInt, EightByteInt, FourByteReal, EightByteReal

  ! Types of variables and attributes, by their names in Fortran and by their sizes.
  integer, parameter :: nf90_byte = 1
  integer, parameter :: nf90_int1 = nf90_byte
  integer, parameter :: nf90_char = 2
  integer, parameter :: nf90_short = 3
  integer, parameter :: nf90_int2 = nf90_short
  integer, parameter :: nf90_int = 4
  integer, parameter :: nf90_int4 = nf90_int
  integer, parameter :: nf90_float = 5
  integer, parameter :: nf90_real = nf90_float
  integer, parameter :: nf90_real4 = nf90_float
  integer, parameter :: nf90_double = 6
  integer, parameter :: nf90_real8 = nf90_double
  integer, parameter :: nf90_ubyte = 7
  integer, parameter :: nf90_ushort = 8
  integer, parameter :: nf90_uint = 9
  integer, parameter :: nf90_int64 = 10
  integer, parameter :: nf90_uint64 = 11
  integer, parameter :: nf90_string = 12
  integer, parameter :: nf90_vlen = 13
  integer, parameter :: nf90_opaque = 14
  integer, parameter :: nf90_enum = 15
  integer, parameter :: nf90_compound = 16

  ! What elements hold that were never written.
  character(len=1), parameter :: nf90_fill_char = achar(0)
  integer(OneByteInt), parameter :: nf90_fill_byte = -127, nf90_fill_int1 = nf90_fill_byte
  integer(TwoByteInt), parameter :: nf90_fill_short = -32767, nf90_fill_int2 = nf90_fill_short
  integer(FourByteInt), parameter :: nf90_fill_int = -2147483647
  real(FourByteReal), parameter :: nf90_fill_float = 9.9692099683868690e+36, &
                                   nf90_fill_real = nf90_fill_float, nf90_fill_real4 = nf90_fill_float
  real(EightByteReal), parameter :: nf90_fill_double = 9.9692099683868690e+36, nf90_fill_real8 = nf90_fill_double
  ! Unsigned: kept in the next wider kind, for Fortran has none without a sign.
  integer(TwoByteInt), parameter :: nf90_fill_ubyte = 255, nf90_fill_uint1 = nf90_fill_ubyte
  integer(FourByteInt), parameter :: nf90_fill_ushort = 65535, nf90_fill_uint2 = nf90_fill_ushort
  integer(EightByteInt), parameter :: nf90_fill_uint = 4294967295_EightByteInt

  ! How a file is created or opened.
  integer, parameter :: nf90_nowrite = 0
  integer, parameter :: nf90_write = 1
  integer, parameter :: nf90_clobber = 0
  integer, parameter :: nf90_noclobber = 4
  integer, parameter :: nf90_fill = 0
  integer, parameter :: nf90_nofill = 256
  integer, parameter :: nf90_diskless = 8
  integer, parameter :: nf90_mmap = 16
  integer, parameter :: nf90_64bit_data = 32
  integer, parameter :: nf90_cdf5 = nf90_64bit_data
  integer, parameter :: nf90_64bit_offset = 512
  integer, parameter :: nf90_lock = 1024
  integer, parameter :: nf90_share = 2048
  integer, parameter :: nf90_netcdf4 = 4096
  integer, parameter :: nf90_hdf5 = 4096
  integer, parameter :: nf90_classic_model = 256
  integer, parameter :: nf90_mpiio = 8192
  integer, parameter :: nf90_mpiposix = 16384
  integer, parameter :: nf90_pnetcdf = 32768

  ! Hints of size.
  integer, parameter :: nf90_sizehint_default = 0
  integer, parameter :: nf90_align_chunk = -1

  ! Length of an unlimited dimension when it is defined; number of the file or group as an attribute's owner.
  integer, parameter :: nf90_unlimited = 0
  integer, parameter :: nf90_global = 0

  ! Limits.
  integer, parameter :: nf90_max_dims = 1024
  integer, parameter :: nf90_max_attrs = 8192
  integer, parameter :: nf90_max_vars = 8192
  integer, parameter :: nf90_max_name = 256
  integer, parameter :: nf90_max_var_dims = 1024

  ! Status codes.
  integer, parameter :: nf90_noerr = 0
  integer, parameter :: nf90_ebadid = -33
  integer, parameter :: nf90_eexist = -35
  integer, parameter :: nf90_einval = -36
  integer, parameter :: nf90_eperm = -37
  integer, parameter :: nf90_enotindefine = -38
  integer, parameter :: nf90_eindefine = -39
  integer, parameter :: nf90_einvalcoords = -40
  integer, parameter :: nf90_emaxdims = -41
  integer, parameter :: nf90_enameinuse = -42
  integer, parameter :: nf90_enotatt = -43
  integer, parameter :: nf90_emaxatts = -44
  integer, parameter :: nf90_ebadtype = -45
  integer, parameter :: nf90_ebaddim = -46
  integer, parameter :: nf90_eunlimpos = -47
  integer, parameter :: nf90_emaxvars = -48
  integer, parameter :: nf90_enotvar = -49
  integer, parameter :: nf90_eglobal = -50
  integer, parameter :: nf90_enotnc = -51
  integer, parameter :: nf90_ests = -52
  integer, parameter :: nf90_emaxname = -53
  integer, parameter :: nf90_eunlimit = -54
  integer, parameter :: nf90_enorecvars = -55
  integer, parameter :: nf90_echar = -56
  integer, parameter :: nf90_eedge = -57
  integer, parameter :: nf90_estride = -58
  integer, parameter :: nf90_ebadname = -59
  integer, parameter :: nf90_erange = -60
  integer, parameter :: nf90_enomem = -61
  integer, parameter :: nf90_evarsize = -62
  integer, parameter :: nf90_edimsize = -63
  integer, parameter :: nf90_etrunc = -64
  integer, parameter :: nf90_eaxistype = -65
  integer, parameter :: nf90_edap = -66
  integer, parameter :: nf90_ecurl = -67
  integer, parameter :: nf90_eio = -68
  integer, parameter :: nf90_enodata = -69
  integer, parameter :: nf90_edapsvc = -70
  integer, parameter :: nf90_edas = -71
  integer, parameter :: nf90_edds = -72
  integer, parameter :: nf90_edatadds = -73
  integer, parameter :: nf90_edapurl = -74
  integer, parameter :: nf90_edapconstraint = -75
  integer, parameter :: nf90_etranslation = -76
  integer, parameter :: nf90_ehdferr = -101
  integer, parameter :: nf90_ecantread = -102
  integer, parameter :: nf90_ecantwrite = -103
  integer, parameter :: nf90_ecantcreate = -104
  integer, parameter :: nf90_efilemeta = -105
  integer, parameter :: nf90_edimmeta = -106
  integer, parameter :: nf90_eattmeta = -107
  integer, parameter :: nf90_evarmeta = -108
  integer, parameter :: nf90_enocompound = -109
  integer, parameter :: nf90_eattexists = -110
  integer, parameter :: nf90_enotnc4 = -111
  integer, parameter :: nf90_estrictnc3 = -112
  integer, parameter :: nf90_enotnc3 = -113
  integer, parameter :: nf90_enopar = -114
  integer, parameter :: nf90_eparinit = -115
  integer, parameter :: nf90_ebadgrpid = -116
  integer, parameter :: nf90_ebadtypid = -117
  integer, parameter :: nf90_etypdefined = -118
  integer, parameter :: nf90_ebadfield = -119
  integer, parameter :: nf90_ebadclass = -120
  integer, parameter :: nf90_emaptype = -121
  integer, parameter :: nf90_elatefill = -122
  integer, parameter :: nf90_elatedef = -123
  integer, parameter :: nf90_edimscale = -124
  integer, parameter :: nf90_enogrp = -125
  integer, parameter :: nf90_estorage = -126
  integer, parameter :: nf90_ebadchunk = -127
  integer, parameter :: nf90_enotbuilt = -128
  integer, parameter :: nf90_ediskless = -129
  integer, parameter :: nf90_ecantextend = -130
  integer, parameter :: nf90_empi = -131
  integer, parameter :: nf90_efilter = -132
  integer, parameter :: nf90_ercfile = -133
  integer, parameter :: nf90_enullpad = -134
  integer, parameter :: nf90_einmemory = -135
  integer, parameter :: nf90_enofilter = -136
  integer, parameter :: nf90_enczarr = -137
  integer, parameter :: nf90_es3 = -138
  integer, parameter :: nf90_eempty = -139
  integer, parameter :: nf90_eobject = -140
  integer, parameter :: nf90_enoobject = -141
  integer, parameter :: nf90_eplugin = -142

  ! What the old interface did on an error.
  integer, parameter :: nf90_fatal = 1
  integer, parameter :: nf90_verbose = 2

  ! Formats of a file.
  integer, parameter :: nf90_format_classic = 1
  integer, parameter :: nf90_format_64bit = 2
  integer, parameter :: nf90_format_64bit_offset = nf90_format_64bit
  integer, parameter :: nf90_format_netcdf4 = 3
  integer, parameter :: nf90_format_netcdf4_classic = 4
  integer, parameter :: nf90_format_64bit_data = 5
  integer, parameter :: nf90_format_cdf5 = nf90_format_64bit_data

  ! Access to a variable from several processes.
  integer, parameter :: nf90_independent = 0
  integer, parameter :: nf90_collective = 1

  ! How a variable is stored.
  integer, parameter :: nf90_chunk_seq = 0
  integer, parameter :: nf90_chunk_sub = 1
  integer, parameter :: nf90_chunk_sizes = 2
  integer, parameter :: nf90_endian_native = 0
  integer, parameter :: nf90_endian_little = 1
  integer, parameter :: nf90_endian_big = 2
  integer, parameter :: nf90_chunked = 0
  integer, parameter :: nf90_notcontiguous = 0
  integer, parameter :: nf90_contiguous = 1
  integer, parameter :: nf90_compact = 2
  integer, parameter :: nf90_nochecksum = 0
  integer, parameter :: nf90_fletcher32 = 1
  integer, parameter :: nf90_noshuffle = 0
  integer, parameter :: nf90_shuffle = 1
  integer, parameter :: nf90_szip_ec_option_mask = 4
  integer, parameter :: nf90_szip_nn_option_mask = 32
  integer, parameter :: nf90_noquantize = 0
  integer, parameter :: nf90_quantize_bitgroom = 1
  integer, parameter :: nf90_quantize_granularbr = 2
  integer, parameter :: nf90_quantize_bitround = 3

  ! First and last of the codes that only netCDF-4 files give.
  integer, parameter :: nf904_first_error = -100
  integer, parameter :: nf904_last_error = -142
end module frazil_netcdf_parameters
